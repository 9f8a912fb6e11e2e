"""The recipes: the best measured training settings of each game, in a module of the game's name."""

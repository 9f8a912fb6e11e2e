"""Sentences, pictures, the first lesson and worked examples of Kododo."""

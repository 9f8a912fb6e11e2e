"""What acts and learns: a network, its optimiser, and the threads on which both are used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from functools import partial
from typing import Any

import numpy.typing as npt
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.type_aliases import Schedule
from torch import Tensor

from agents.networks.network import GameNetwork, check_answers, check_finite, log_probabilities
from agents.ppo.data_parallel import DataParallel
from agents.ppo.optimizer import MuonWithAdam
from kododo_env.core.actions import ActionLayout
from kododo_env.core.observation import ObservationLayout

Batch = dict[str, Tensor]
"""B decisions. By name: ``canonical`` (B, F), the canonical observations; ``entries`` (B, K), the
raw output's entries of the actions; ``masks`` (B, A) bool; ``returns`` (B,), what was gained
afterwards; and whatever else a loss is made of."""
Losses = dict[str, Tensor]
"""Means over a batch: ``loss``, which is lowered, and what else is to be logged."""
PROBED = 256  # decisions on which a network is tried after it has learned


class GamePolicy(MaskableActorCriticPolicy):
    """A network that acts and learns: the policy of ``SelfPlayPPO``.

    Of sb3-contrib's interface it has the weights and the optimiser; nothing else of it works.

    Args:
        *given: What MaskablePPO gives: the spaces of the VecEnv and the learning rate's schedule.
        layout: The game's observations.
        actions: The game's actions.
        network: The other arguments of ``GameNetwork``.
        muon: If above 0, the matrices of hidden layers are learned by Muon, at this times the
            learning rate of the rest; see ``MuonWithAdam``.
        magnet: If above 0, an average of the weights is kept, from which the policy is to diverge
            little; the weight of that in the loss.
        magnet_updates: About how many updates the average is taken over.
        threads: On how many threads it acts and learns. With another number the sums are
            rounded otherwise, so that another policy is learned.
        bfloat16: Whether matrices are multiplied in bfloat16.
    """

    def __init__(
        self,
        *given: Any,
        layout: ObservationLayout,
        actions: ActionLayout,
        network: Mapping[str, Any],
        muon: float = 0.0,
        magnet: float = 0.0,
        magnet_updates: float = 1.0,
        threads: int = 1,
        bfloat16: bool = False,
    ) -> None:
        self.parallel, self._bfloat16, self._muon = DataParallel(threads), bfloat16, muon
        self.magnet, self.magnet_updates = magnet, magnet_updates
        self._make_network = partial(GameNetwork, layout, actions, **network)
        super().__init__(*given)

    def _build(self, lr_schedule: Schedule) -> None:
        self.network = self._make_network()
        self.average = deepcopy(self.network).requires_grad_(False) if self.magnet else None
        rate, weights = lr_schedule(1), list(self.network.parameters())
        self.optimizer: torch.optim.Optimizer
        if self._muon:
            matrices = self.network.hidden_matrices()
            others = [weight for weight in weights if all(weight is not one for one in matrices)]
            self.optimizer = MuonWithAdam(matrices, others, rate, self._muon)
        else:
            self.optimizer = self.optimizer_class(weights, lr=rate, **self.optimizer_kwargs)  # type: ignore[call-arg]

    def answers(self, observations: npt.NDArray[Any]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """What the network says of observations (B, F).

        Returns:
            Canonical observations (B, F) in their own dtype, the actions' entries int16 (B, K),
            logits (B, A), legal or not, and values (B,).

        Raises:
            Diverged: The answers are no numbers.
        """

        @torch.no_grad()
        def ask(part: slice) -> tuple[Tensor, ...]:
            rows = torch.from_numpy(observations[part]).to(self.device)
            canonical, entries = self.network.canonical(rows)
            logits, values = self.network.from_canonical(canonical, entries, self._bfloat16)
            check_answers(logits, values)
            found = canonical.to(rows.dtype), entries.to(torch.int16), logits, values
            return tuple(each.cpu() for each in found)

        parts = self.parallel.map(ask, len(observations))
        canonical, entries, logits, values = map(torch.cat, zip(*parts, strict=True))
        return canonical, entries, logits, values

    def learn(
        self, batches: Iterable[Batch], losses: Callable[[Batch], Losses], max_grad_norm: float
    ) -> dict[str, float]:
        """Lower the loss by a step of the optimiser on each minibatch.

        Args:
            batches: The minibatches.
            losses: Called with each thread's part of one.
            max_grad_norm: Longer gradients are shortened to this.

        Returns:
            The means of the losses.

        Raises:
            Diverged: Losses, gradients, weights or the network's answers are no finite numbers.
        """
        steps = []
        for batch in map(self._moved, batches):  # the last one serves below
            steps.append(self._step(batch, losses, max_grad_norm))
        with torch.no_grad():
            check_answers(*self.asked({name: batch[name][:PROBED] for name in batch}))
        check_finite(*self.network.parameters())
        self.move_average()
        return {
            name: torch.stack([each[name] for each in steps]).mean().item() for name in steps[0]
        }

    @torch.no_grad()
    def move_average(self) -> None:
        """Let the average of the weights, if there is one, follow them after an update."""
        if self.average is not None:
            both = zip(self.average.parameters(), self.network.parameters(), strict=True)
            for average, weight in both:
                average.lerp_(weight, 1 / self.magnet_updates)

    def _moved(self, batch: Batch) -> Batch:
        """The batch on the network's device; copied to a GPU while that is still at work."""
        if self.device.type == "cuda":
            batch = {name: column.pin_memory() for name, column in batch.items()}
        return {name: each.to(self.device, non_blocking=True) for name, each in batch.items()}

    def asked(self, batch: Batch, network: GameNetwork | None = None) -> tuple[Tensor, Tensor]:
        """Logits (B, A) and values (B,) of a batch, by its own network or another one."""
        canonical, entries = batch["canonical"].float(), batch["entries"].long()
        return (network or self.network).from_canonical(canonical, entries, self._bfloat16)

    def with_magnet(self, decisions: Batch) -> Batch:
        """Decisions with ``magnet``, (B, A): what the averaged network's log-probabilities are.

        Without an average they stay as they are.
        """
        if self.average is None:
            return decisions

        @torch.no_grad()
        def ask(part: slice) -> Tensor:
            batch = self._moved({name: each[part] for name, each in decisions.items()})
            return log_probabilities(self.asked(batch, self.average)[0], batch["masks"]).cpu()

        found = self.parallel.map(ask, len(decisions["returns"]))
        return decisions | {"magnet": torch.cat(found)}

    def _step(
        self, batch: Batch, losses: Callable[[Batch], Losses], max_grad_norm: float
    ) -> Losses:
        """One step of the optimiser; the means over the minibatch."""
        parameters, total = list(self.network.parameters()), len(batch["returns"])

        def gradients(part: slice) -> tuple[Losses, list[Tensor]]:
            found = losses({name: column[part] for name, column in batch.items()})
            share = (part.stop - part.start) / total
            gradient = torch.autograd.grad(share * found["loss"], parameters)
            return {name: share * loss.detach() for name, loss in found.items()}, list(gradient)

        logged, found = zip(*self.parallel.map(gradients, total), strict=True)
        for parameter, *parts in zip(parameters, *found, strict=True):
            parameter.grad = torch.stack(parts).sum(dim=0) if len(parts) > 1 else parts[0]
        norm = torch.nn.utils.clip_grad_norm_(parameters, max_grad_norm)
        means = {name: torch.stack([part[name] for part in logged]).sum() for name in logged[0]}
        check_finite(norm, means["loss"])
        self.optimizer.step()
        return means


def minibatches(decisions: Batch, epochs: int, size: int) -> Iterator[Batch]:
    """So many passes over decisions, each in random order and in nearly equal parts."""
    total = len(decisions["returns"])
    for _ in range(epochs):
        for chosen in torch.randperm(total).chunk(max(1, round(total / size))):
            # On rows of bytes ``index_select`` is ten times as fast as ``column[chosen]``.
            yield {name: column.index_select(0, chosen) for name, column in decisions.items()}

"""One step of the optimiser, its gradients computed in parts on several threads."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from agents.networks.network import check_finite
from agents.ppo.data_parallel import DataParallel
from agents.ppo.game_policy import GamePolicy

Losses = dict[str, Tensor]


def gradient_step(
    policy: GamePolicy,
    parallel: DataParallel,
    total: int,
    losses: Callable[[slice], Losses],
    max_grad_norm: float,
) -> Losses:
    """Lower the mean loss over a minibatch.

    Args:
        policy: Whose network and optimiser.
        parallel: The threads.
        total: B, the minibatch's size.
        losses: Called with each part of it; gives the part's mean ``loss``, which is lowered,
            and means of whatever else is to be logged.
        max_grad_norm: Longer gradients are shortened to this.

    Returns:
        The means over the whole minibatch.

    Raises:
        Diverged: The loss or the gradients are no finite numbers.
    """
    parameters = list(policy.network.parameters())

    def gradients(part: slice) -> tuple[Losses, list[Tensor]]:
        found = losses(part)
        share = (part.stop - part.start) / total
        gradient = torch.autograd.grad(share * found["loss"], parameters)
        return {name: share * loss.detach() for name, loss in found.items()}, list(gradient)

    logged, found = zip(*parallel.map(gradients, total), strict=True)
    for parameter, *parts in zip(parameters, *found, strict=True):
        parameter.grad = torch.stack(parts).sum(dim=0) if len(parts) > 1 else parts[0]
    norm = torch.nn.utils.clip_grad_norm_(parameters, max_grad_norm)
    means = {name: torch.stack([part[name] for part in logged]).sum() for name in logged[0]}
    check_finite(norm, means["loss"])
    policy.optimizer.step()
    return means


def minibatches(total: int, size: int) -> tuple[Tensor, ...]:
    """One epoch: the numbers 0 to ``total`` - 1 in random order, in nearly equal parts."""
    return torch.randperm(total).chunk(max(1, round(total / size)))

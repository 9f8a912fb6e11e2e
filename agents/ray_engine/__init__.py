"""Training and tournaments on many machines, by Ray; see docs/evidence/ray.md."""

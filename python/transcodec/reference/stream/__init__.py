"""The hub: deltas, the referee and the translator."""

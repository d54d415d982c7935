"""What the operator's Prometheus reads: times as they happen, states when they are asked for."""

"""The gate: whoever has not come through it gets nothing but the door."""

"""The lesson about lazy layers: parameters whose shapes the first batch decides."""

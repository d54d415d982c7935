"""Lesson on lazy layers: parameters whose shapes the first batch decides."""

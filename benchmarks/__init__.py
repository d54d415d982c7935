"""Figures for BENCHMARKS.md: ``python -m benchmarks``. Never imported by the app or its tests."""

"""The lesson "save_and_load"; importing it loads no step."""

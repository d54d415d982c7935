"""The lesson "blocks"; importing it loads no step."""

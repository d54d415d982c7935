"""The lab's page: an editor, what came of the program, starting points, exercises, links."""

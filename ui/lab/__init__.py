"""The lab: an editor, the output of the program, examples, exercises, links."""

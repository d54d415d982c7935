"""The lesson about layers of one's own: what makes a layer, a parameter and a gradient."""

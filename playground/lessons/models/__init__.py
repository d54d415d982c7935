"""The lesson about networks on devices: what moves with a module, and what stays behind."""

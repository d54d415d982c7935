"""What one visitor and all of them may ask of the server; each refusal is a friendly sentence."""

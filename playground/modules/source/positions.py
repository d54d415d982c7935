"""Which arguments are usually given by their place; a test compares them with torch's own order."""

_CONVOLUTION = ("in_channels", "out_channels")
_LAZY_CONVOLUTION = ("out_channels",)
_RECURRENT = ("input_size", "hidden_size")
_ATTENTION = ("d_model", "nhead")

POSITIONS: dict[str, tuple[str, ...]] = {
    "Linear": ("in_features", "out_features"),
    "LazyLinear": ("out_features",),
    "Bilinear": ("in1_features", "in2_features", "out_features"),
    **{f"Conv{rank}d": _CONVOLUTION for rank in (1, 2, 3)},
    **{f"ConvTranspose{rank}d": _CONVOLUTION for rank in (1, 2, 3)},
    **{f"LazyConv{rank}d": _LAZY_CONVOLUTION for rank in (1, 2, 3)},
    **{f"LazyConvTranspose{rank}d": _LAZY_CONVOLUTION for rank in (1, 2, 3)},
    **{f"BatchNorm{rank}d": ("num_features",) for rank in (1, 2, 3)},
    **{f"InstanceNorm{rank}d": ("num_features",) for rank in (1, 2, 3)},
    **{f"MaxPool{rank}d": ("kernel_size",) for rank in (1, 2, 3)},
    **{f"AvgPool{rank}d": ("kernel_size",) for rank in (1, 2, 3)},
    **{f"AdaptiveAvgPool{rank}d": ("output_size",) for rank in (1, 2, 3)},
    **{f"AdaptiveMaxPool{rank}d": ("output_size",) for rank in (1, 2, 3)},
    "GroupNorm": ("num_groups", "num_channels"),
    "LayerNorm": ("normalized_shape",),
    "RMSNorm": ("normalized_shape",),
    "Dropout": ("p",),
    "LeakyReLU": ("negative_slope",),
    "Embedding": ("num_embeddings", "embedding_dim"),
    "Unflatten": ("dim", "unflattened_size"),
    **dict.fromkeys(("RNN", "LSTM", "GRU", "RNNCell", "LSTMCell", "GRUCell"), _RECURRENT),
    "MultiheadAttention": ("embed_dim", "num_heads"),
    "TransformerEncoderLayer": _ATTENTION,
    "TransformerDecoderLayer": _ATTENTION,
    "TransformerEncoder": ("encoder_layer", "num_layers"),
    "TransformerDecoder": ("decoder_layer", "num_layers"),
    "MLP": ("in_features", "hidden_features", "out_features"),
    "FixedHiddenMLP": ("features",),
    "MyLinear": ("in_units", "units"),
    "MyLinearWithData": ("in_units", "units"),
}

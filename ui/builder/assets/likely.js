// The layers that are likely next, by the shape that flows.

const IMAGES = ["Conv2d", "ReLU", "MaxPool2d", "BatchNorm2d", "AdaptiveAvgPool2d", "Flatten", "Upsample"];
const SEQUENCES = ["Linear", "LayerNorm", "TransformerEncoderLayer", "MultiheadAttention", "LSTM", "GELU", "Permute", "Flatten"];
const FEATURES = ["Linear", "ReLU", "Dropout", "BatchNorm1d", "Sigmoid", "Softmax"];
const VOLUMES = ["Conv3d", "ReLU", "MaxPool3d", "BatchNorm3d", "Flatten"];

/** Names of layers, the likeliest first: `likely("2, 20")`. */
export function likely(shape) {
  if (shape.startsWith("(")) return ["Item"];
  const dims = shape ? shape.split(", ").length : 0;
  return { 1: FEATURES, 2: ["Linear", "Embedding", ...FEATURES.slice(1)], 3: SEQUENCES, 4: IMAGES, 5: VOLUMES }[dims] ?? FEATURES;
}

"""Networks at which torchinfo's figures are not the true ones."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils import parametrizations, prune

from tests.modules.trace_case import Keywords, in_zoo


@in_zoo
def linear_on_sequences():
    return nn.Linear(8, 16), torch.rand(2, 5, 8)


@in_zoo
def batch_norm_on_images():
    return nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU()), torch.rand(2, 3, 6, 6)


@in_zoo
def norms_on_images():
    layers = nn.GroupNorm(2, 4), nn.InstanceNorm2d(4, affine=True), nn.LayerNorm([4, 5, 5])
    return nn.Sequential(*layers, nn.PReLU(4)), torch.rand(2, 4, 5, 5)


@in_zoo
def embedding():
    return nn.Embedding(100, 8), torch.tensor([[1, 2, 3], [4, 5, 6]])


@in_zoo
def bag_of_words():
    return nn.Sequential(nn.EmbeddingBag(50, 4), nn.Linear(4, 2)), torch.tensor([[1, 2], [3, 4]])


@in_zoo
def lstm_cell():
    return nn.LSTMCell(4, 6), torch.rand(3, 4)


@in_zoo
def gru_without_batch():
    return nn.GRU(4, 6), torch.rand(7, 4)


@in_zoo
def self_attention():
    x = torch.rand(2, 5, 8)
    return nn.MultiheadAttention(8, 2, batch_first=True), x, x, x


@in_zoo
def transformer_encoder():
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    return nn.TransformerEncoder(layer, 2), torch.rand(2, 5, 8)


@in_zoo
def transformer():
    net = nn.Transformer(8, 2, 1, 1, 16, batch_first=True)
    return net, torch.rand(2, 5, 8), torch.rand(2, 4, 8)


class LanguageModel(nn.Module):
    """Its last layer's weight is the embedding's."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(20, 8)
        self.head = nn.Linear(8, 20, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, tokens):
        return self.head(self.embedding(tokens))


@in_zoo
def tied_language_model():
    return LanguageModel(), torch.tensor([[1, 2, 3]])


@in_zoo
def one_layer_at_three_places():
    shared = nn.Linear(4, 4)
    return nn.Sequential(shared, nn.ReLU(), shared, nn.ReLU(), shared), torch.rand(2, 4)


@in_zoo
def one_memory():
    net = nn.Sequential(nn.Linear(4, 4, bias=False), nn.Linear(4, 4, bias=False))
    net[1].weight = nn.Parameter(net[0].weight.detach().t())
    return net, torch.rand(2, 4)


@in_zoo
def pruned():
    net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
    prune.random_unstructured(net[0], "weight", amount=0.5)
    return net, torch.rand(2, 4)


@in_zoo
def parametrized():
    return nn.Sequential(parametrizations.weight_norm(nn.Linear(4, 3))), torch.rand(2, 4)


@in_zoo
def spectral_norm():
    return nn.Sequential(parametrizations.spectral_norm(nn.Linear(4, 3))), torch.rand(2, 4)


@in_zoo
def lazy():
    layers = nn.LazyConv2d(4, 3), nn.ReLU(), nn.Flatten(), nn.LazyLinear(5)
    return nn.Sequential(*layers), torch.rand(2, 3, 6, 6)


class Listed(nn.Module):
    def __init__(self):
        super().__init__()
        self.weights = nn.ParameterList([nn.Parameter(torch.rand(3, 3)) for _ in range(2)])
        self.table = nn.ParameterDict({"bias": nn.Parameter(torch.rand(3))})

    def forward(self, x):
        for weight in self.weights:
            x = x @ weight
        return x + self.table["bias"]


@in_zoo
def parameters_in_lists():
    return Listed(), torch.rand(2, 3)


class VisionTransformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, 8, 4, stride=4)
        self.position = nn.Parameter(torch.zeros(1, 4, 8))
        self.encoder = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        self.head = nn.Linear(8, 5)

    def forward(self, images, mask=None):
        x = self.patches(images).flatten(2).transpose(1, 2) + self.position
        return self.head(self.encoder(x, src_mask=mask).mean(1))


@in_zoo
def vision_transformer():
    return VisionTransformer(), torch.rand(2, 3, 8, 8), Keywords(mask=None)


@in_zoo
def deconvolution_gan():
    layers = (
        nn.ConvTranspose2d(6, 4, 4),
        nn.BatchNorm2d(4),
        nn.ReLU(),
        nn.ConvTranspose2d(4, 1, 4, 2, 1),
    )
    return nn.Sequential(*layers, nn.Tanh()), torch.rand(2, 6, 1, 1)


class Packed(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(3, 4)

    def forward(self, x, lengths):
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths)
        return nn.utils.rnn.pad_packed_sequence(self.rnn(packed)[0])[0]


@in_zoo
def packed_sequences():
    return Packed(), torch.rand(5, 2, 3), [5, 3]


class Functional(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 4)

    def forward(self, x):
        return F.linear(x, self.layer.weight, self.layer.bias)


@in_zoo
def a_layer_that_is_never_called():
    return Functional(), torch.rand(2, 3)

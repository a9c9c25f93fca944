"""Trains a small network on pictures of the public generator, and reads pictures that it has not seen.

Usage: train.py DATA WIDTH HEIGHT LETTERS ALPHABET MINUTES
DATA has the pictures, one byte a pixel, at half size: first those to train on, then those to read; DATA.txt has their
texts, one a line, and an empty line between both. Prints one line of JSON.
"""
import json
import sys
import time

import numpy
import torch
from torch import nn

data, width, height, letters, alphabet, minutes = sys.argv[1:]
width, height, letters, minutes = int(width), int(height), int(letters), float(minutes)
torch.manual_seed(1)

training_texts, test_texts = [part.split("\n") for part in open(data + ".txt").read().strip().split("\n\n")]
pictures = torch.from_numpy(numpy.fromfile(data, dtype=numpy.uint8)).view(-1, 1, height, width)
classes = torch.tensor([[alphabet.index(letter) for letter in text] for text in training_texts + test_texts])
count = len(training_texts)


def block(inputs, outputs):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(), nn.MaxPool2d(2)
    )


class Reader(nn.Module):
    """Four convolutions, and one answer for each place in the text from all of the picture."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(block(1, 16), block(16, 32), block(32, 64), block(64, 64))
        size = 64 * (width // 16) * (height // 16)
        self.answer = nn.Sequential(
            nn.Flatten(), nn.Dropout(0.2), nn.Linear(size, 256), nn.ReLU(), nn.Linear(256, letters * len(alphabet))
        )

    def forward(self, batch):
        return self.answer(self.features(batch.float() / 127.5 - 1)).view(-1, letters, len(alphabet))


network = Reader()
optimizer = torch.optim.Adam(network.parameters(), lr=2e-3)
epochs = 0
start = time.process_time()
passed = 0.0
while passed < minutes:
    for group in optimizer.param_groups:
        group["lr"] = 2e-3 * max(0.02, 1 - passed / minutes)
    network.train()
    for chosen in torch.randperm(count).split(64):
        optimizer.zero_grad()
        # Pictures are moved by up to three pixels, so that the network does not learn places by heart.
        moved = torch.roll(pictures[chosen], [int(step) for step in torch.randint(-3, 4, (2,))], (2, 3))
        scores = network(moved)
        loss = nn.functional.cross_entropy(scores.reshape(-1, len(alphabet)), classes[chosen].reshape(-1))
        loss.backward()
        optimizer.step()
    epochs += 1
    passed = (time.process_time() - start) / 60
    print(f"epoch {epochs}, {passed:.1f} minutes, loss {loss.item():.3f}", file=sys.stderr, flush=True)

network.eval()
with torch.no_grad():
    guesses = torch.cat([network(batch).argmax(2) for batch in pictures[count:].split(256)])
right = guesses == classes[count:]
result = {
    "trained": count,
    "epochs": epochs,
    "minutes": round(passed, 1),
    "read": len(test_texts),
    "pictures": right.all(1).float().mean().item(),
    "letters": right.float().mean().item(),
}
print(json.dumps(result))

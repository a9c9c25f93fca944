"""Trains a small network on pictures of the public generator, and reads pictures that it has not seen.

Usage: train.py DATA WIDTH HEIGHT ALPHABET MINUTES
DATA has the pictures, one byte a pixel, at half size: plain ones, those to train on, and those to read. DATA.txt has
their texts, one a line, and an empty line between the groups. Half of the plain pictures come first in the training:
they teach the letters; the other half is the control, which shows that the network learns. Prints one line of JSON.
"""
import json
import os
import sys
import time

import numpy
import torch
from torch import nn

data, width, height, alphabet, minutes = sys.argv[1:]
width, height, minutes = int(width), int(height), float(minutes)
torch.manual_seed(1)
torch.set_num_threads(int(os.environ.get("THREADS", "1")))

groups = [part.split("\n") for part in open(data + ".txt").read().strip().split("\n\n")]
plain_count, count, test_count = [len(group) for group in groups]
pictures = torch.from_numpy(numpy.fromfile(data, dtype=numpy.uint8)).view(-1, 1, height, width)
texts = sum(groups, [])
assert len(pictures) == len(texts), "each picture has a text"
# 0 is the blank of CTC: no letter at this place.
classes = torch.tensor([[alphabet.index(letter) + 1 for letter in text] for text in texts])
letters = classes.shape[1]


def block(inputs, outputs, pool):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(), nn.MaxPool2d(pool)
    )


class Reader(nn.Module):
    """Four convolutions, then one over what each column sees. CTC finds the letters' places: no place is given."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            block(1, 16, 2), block(16, 32, 2), block(32, 64, (2, 1)), block(64, 96, (2, 1))
        )
        seen = 96 * (height // 16)
        self.columns = nn.Sequential(
            nn.Conv1d(seen, 128, 7, padding=3, bias=False), nn.BatchNorm1d(128), nn.ReLU(), nn.Dropout(0.1),
            nn.Conv1d(128, len(alphabet) + 1, 1),
        )

    def forward(self, batch):
        grey = batch.float()
        # The light of paper and ink differs with each picture.
        grey = (grey - grey.mean((2, 3), keepdim=True)) / (grey.std((2, 3), keepdim=True) + 1)
        return self.columns(self.features(grey).flatten(1, 2)).permute(2, 0, 1).log_softmax(2)


def lengths(batch, length):
    return torch.full((batch,), length, dtype=torch.long)


def loss_of(network, chosen):
    scores = network(pictures[chosen])
    return nn.functional.ctc_loss(
        scores, classes[chosen], lengths(len(chosen), scores.shape[0]), lengths(len(chosen), letters)
    )


def train(network, places, goal_minutes, rate, batch, name):
    """Trains for so many minutes of processor time, and tells how often it went through the pictures."""
    optimizer = torch.optim.Adam(network.parameters(), lr=rate)
    start = time.process_time()
    passed = 0.0
    epochs = seen = 0
    network.train()
    while passed < goal_minutes:
        losses = []
        for chosen in places[torch.randperm(len(places))].split(batch):
            part = passed / goal_minutes
            for group in optimizer.param_groups:
                group["lr"] = rate * max(0.01, min(1, part * 20 + 0.05, (1 - part) * 1.2))
            optimizer.zero_grad()
            loss = loss_of(network, chosen)
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 5)
            optimizer.step()
            losses.append(loss.item())
            seen += len(chosen)
            passed = (time.process_time() - start) / 60
            if passed >= goal_minutes:
                break
        epochs += 1
        mean = sum(losses) / len(losses)
        print(f"{name} {epochs}, {passed:.1f} minutes, loss {mean:.3f}", file=sys.stderr, flush=True)
    return round(seen / len(places), 1)


def read(network, places):
    """The shares of pictures and of letters in their places that it reads right."""
    network.eval()
    pictures_right = letters_right = 0
    with torch.no_grad():
        for chosen in places.split(256):
            best = network(pictures[chosen]).argmax(2).T.tolist()
            for row, expected in zip(best, classes[chosen].tolist()):
                text = [place for i, place in enumerate(row) if place and (i == 0 or row[i - 1] != place)]
                pictures_right += text == expected
                letters_right += sum(a == b for a, b in zip(text, expected))
    return {
        "count": len(places),
        "pictures": pictures_right / len(places),
        "letters": letters_right / (len(places) * letters),
    }


network = Reader()
plain, control = torch.arange(plain_count).split((plain_count + 1) // 2)
train(network, plain, minutes * 0.05, 3e-3, 32, "plain epoch")
control_read = read(network, control)
print(json.dumps(control_read), file=sys.stderr, flush=True)
start = plain_count
epochs = train(network, torch.arange(start, start + count), minutes * 0.95, 3e-3, 64, "epoch")
start += count
as_they_are = read(network, torch.arange(start, len(texts)))
result = {
    "epochs": epochs,
    "minutes": minutes,
    "read": {"without distortion, as a control": control_read, "as they are": as_they_are},
}
print(json.dumps(result))

"""Drawings as PNG; as SVG they are a template (`page.svg`)."""

from __future__ import annotations

import io
from typing import Any

from quire.eval.report.shapes import Circle, Plot, Polyline, Rectangle, Shape, TextMark

_SCALE = 2  # PNG pixels per unit, for sharp screens


def png(drawing: Plot) -> bytes:
    """A drawing as PNG, twice its size."""
    from PIL import Image, ImageDraw, ImageFont

    image = Image.new("RGB", (drawing.width * _SCALE, drawing.height * _SCALE), "white")
    pen = ImageDraw.Draw(image)
    font = ImageFont.load_default(12 * _SCALE)
    for shape in drawing.shapes:
        if isinstance(shape, TextMark) and shape.rotated:
            label = Image.new("RGB", (round(pen.textlength(shape.text, font)) + 4, 16 * _SCALE), "white")
            ImageDraw.Draw(label).text((0, 0), shape.text, shape.colour, font)
            upright = label.rotate(90, expand=True)
            image.paste(upright, (round((shape.x - 10) * _SCALE), round(shape.y * _SCALE - upright.height)))
        else:
            _paint(pen, shape, font)
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


def _paint(pen: Any, shape: Shape, font: Any) -> None:
    if isinstance(shape, Polyline):
        points = [(x * _SCALE, y * _SCALE) for x, y in shape.points]
        if len(points) > 1:
            pen.line(points, fill=shape.colour, width=round(shape.width * _SCALE))
    elif isinstance(shape, Rectangle):
        x, y = shape.x * _SCALE, shape.y * _SCALE
        pen.rectangle((x, y, x + shape.width * _SCALE, y + shape.height * _SCALE), shape.colour)
    elif isinstance(shape, Circle):
        fill = None if shape.ring else shape.colour
        at = (shape.x * _SCALE, shape.y * _SCALE)
        pen.circle(at, shape.radius * _SCALE, fill, shape.colour, _SCALE)
    else:
        anchor = {"start": "ls", "middle": "ms", "end": "rs"}[shape.anchor]
        pen.text((shape.x * _SCALE, shape.y * _SCALE), shape.text, shape.colour, font, anchor)

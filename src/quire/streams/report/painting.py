"""Drawings to files: SVG text, PNG bytes."""

from __future__ import annotations

import io
from typing import Any

from quire.streams.report.markup import Markup, tag
from quire.streams.report.shapes import Box, Dot, Drawing, Label, Line, Shape

_SCALE = 2  # PNG pixels per unit, for sharp screens


def svg(drawing: Drawing) -> Markup:
    """A drawing as one SVG element; texts are escaped."""
    return tag(
        "svg",
        tag("title", drawing.title),
        tag("rect", width=drawing.width, height=drawing.height, fill="#ffffff"),
        *[_shape(shape) for shape in drawing.shapes],
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {drawing.width} {drawing.height}",
        font_family="sans-serif",
        font_size="12",
        role="img",
    )


def png(drawing: Drawing) -> bytes:
    """A drawing as PNG, twice its size."""
    from PIL import Image, ImageDraw, ImageFont

    image = Image.new("RGB", (drawing.width * _SCALE, drawing.height * _SCALE), "white")
    pen = ImageDraw.Draw(image)
    font = ImageFont.load_default(12 * _SCALE)
    for shape in drawing.shapes:
        if isinstance(shape, Label) and shape.rotated:
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
    if isinstance(shape, Line):
        points = [(x * _SCALE, y * _SCALE) for x, y in shape.points]
        if len(points) > 1:
            pen.line(points, fill=shape.colour, width=round(shape.width * _SCALE))
    elif isinstance(shape, Box):
        x, y = shape.x * _SCALE, shape.y * _SCALE
        pen.rectangle((x, y, x + shape.width * _SCALE, y + shape.height * _SCALE), shape.colour)
    elif isinstance(shape, Dot):
        fill = None if shape.ring else shape.colour
        at = (shape.x * _SCALE, shape.y * _SCALE)
        pen.circle(at, shape.radius * _SCALE, fill, shape.colour, _SCALE)
    else:
        anchor = {"start": "ls", "middle": "ms", "end": "rs"}[shape.anchor]
        pen.text((shape.x * _SCALE, shape.y * _SCALE), shape.text, shape.colour, font, anchor)


def _shape(shape: Shape) -> Markup:
    if isinstance(shape, Line):
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in shape.points)
        return tag("polyline", points=points, fill="none", stroke=shape.colour, stroke_width=shape.width)
    if isinstance(shape, Box):
        x, y, width, height = (f"{side:.1f}" for side in (shape.x, shape.y, shape.width, shape.height))
        return _pointed(tag("rect", x=x, y=y, width=width, height=height, fill=shape.colour), shape.told)
    if isinstance(shape, Dot):
        fill = "none" if shape.ring else shape.colour
        x, y = f"{shape.x:.1f}", f"{shape.y:.1f}"
        return _pointed(tag("circle", cx=x, cy=y, r=shape.radius, fill=fill, stroke=shape.colour), shape.told)
    return tag(
        "text",
        shape.text,
        x=f"{shape.x:.1f}",
        y=f"{shape.y:.1f}",
        text_anchor=shape.anchor,
        fill=shape.colour,
        transform=f"rotate(-90 {shape.x:.1f} {shape.y:.1f})" if shape.rotated else None,
    )


def _pointed(mark: Markup, told: str) -> Markup:
    """A mark with the figures that a pointer over it is shown."""
    return tag("g", tag("title", told), mark) if told else mark

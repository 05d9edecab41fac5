"""Drawings to files: SVG text, PNG bytes."""

from __future__ import annotations

import io

from quire.streams.evaluation.report.markup import Markup, tag
from quire.streams.report.drawing import Box, Drawing, Label, Line

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
        if isinstance(shape, Line):
            points = [(x * _SCALE, y * _SCALE) for x, y in shape.points]
            if len(points) > 1:
                pen.line(points, fill=shape.colour, width=round(shape.width * _SCALE))
        elif isinstance(shape, Box):
            corner = (shape.x * _SCALE, shape.y * _SCALE)
            pen.rectangle(
                (*corner, corner[0] + shape.width * _SCALE, corner[1] + shape.height * _SCALE), shape.colour
            )
        elif shape.turned:
            label = Image.new("RGB", (round(pen.textlength(shape.text, font)) + 4, 16 * _SCALE), "white")
            ImageDraw.Draw(label).text((0, 0), shape.text, shape.colour, font)
            upright = label.rotate(90, expand=True)
            image.paste(upright, (round((shape.x - 10) * _SCALE), round(shape.y * _SCALE - upright.height)))
        else:
            anchor = {"start": "ls", "middle": "ms", "end": "rs"}[shape.anchor]
            pen.text((shape.x * _SCALE, shape.y * _SCALE), shape.text, shape.colour, font, anchor)
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


def _shape(shape: Line | Box | Label) -> Markup:
    if isinstance(shape, Line):
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in shape.points)
        return tag("polyline", points=points, fill="none", stroke=shape.colour, stroke_width=shape.width)
    if isinstance(shape, Box):
        return tag("rect", x=shape.x, y=shape.y, width=shape.width, height=shape.height, fill=shape.colour)
    return tag(
        "text",
        shape.text,
        x=f"{shape.x:.1f}",
        y=f"{shape.y:.1f}",
        text_anchor=shape.anchor,
        fill=shape.colour,
        transform=f"rotate(-90 {shape.x:.1f} {shape.y:.1f})" if shape.turned else None,
    )

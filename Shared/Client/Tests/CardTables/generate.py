#!/usr/bin/env python3
"""Writes the two tables of the card, once: generate.py FOLDER, where FOLDER is the client library's Presentation folder.

FontAdvances.swift: how wide each character of Inter is (SIL Open Font License 1.1, Rasmus Andersson; Debian's package
fonts-inter), read from the font files' tables `cmap` and `hmtx`. All figures have the width of the widest, as figures that
stand in columns do.

TeamColours.swift: a side's colour, lightened or darkened in small steps until it is told apart from the card, with a text on it
and as a text on the card that have a contrast of 4.5 to 1 or more; and as a field whose text has one of 7 to 1.
"""

import pathlib
import struct
import sys

FONTS = pathlib.Path("/usr/share/fonts/opentype/inter")
WEIGHTS = (("regular", "Inter-Regular.otf"), ("semibold", "Inter-SemiBold.otf"), ("bold", "Inter-Bold.otf"))
RANGES = ((0x20, 0x7E), (0xA0, 0xFF))
SYMBOLS = "–—‘’“”•…×−"

# The colours of the usual shirts, near enough to be recognised; they are not official brand colours.
TEAMS = {
    # Indian Premier League, past sides included.
    "CSK": "F6C417", "DC": "1B56B5", "DD": "1B56B5", "DEC": "8C98A8", "GL": "E26A1B", "GT": "31446B", "KKR": "4B2A82",
    "KTK": "E0622A", "KXIP": "D6202F", "LSG": "1E78D2", "MI": "0B5CB8", "PBKS": "D6202F", "PWI": "2A9BC4", "RCB": "C8141E",
    "RPS": "7A3FA0", "RR": "E5207F", "SRH": "F0641E",
    # Full members of the ICC.
    "AFG": "1467C0", "AUS": "F2B705", "BAN": "0A7A53", "BGD": "0A7A53", "ENG": "C8102E", "IND": "1B6FD0", "IRE": "1F9A58",
    "NZ": "2B2B2E", "PAK": "0B6B3C", "RSA": "1E8A4C", "SA": "1E8A4C", "SL": "1B3F9C", "WI": "7B1236", "ZIM": "D8352A",
}
# For any other side; which, its name decides.
OTHERS = ("2F6FDE", "B3261E", "0F7B6C", "8A4FBE", "C25700", "3F5B8C", "A02669", "5A7D1E", "1F86A8", "7A5A2E")
LIGHT, DARK = ("F4F5F7", "FFFFFF"), ("1B1D22", "000000")


def advances(path):
    data = path.read_bytes()
    count = struct.unpack(">H", data[4:6])[0]
    tables = {}
    for index in range(count):
        tag, _, offset, length = struct.unpack(">4sIII", data[12 + 16 * index:28 + 16 * index])
        tables[tag] = data[offset:offset + length]
    em = struct.unpack(">H", tables[b"head"][18:20])[0]
    metrics = struct.unpack(">H", tables[b"hhea"][34:36])[0]
    widths = [struct.unpack(">H", tables[b"hmtx"][4 * index:4 * index + 2])[0] for index in range(metrics)]
    glyphs = mapping(tables[b"cmap"])

    def width(code):
        glyph = glyphs[code]
        return round(widths[min(glyph, metrics - 1)] * 1000 / em)

    figure = max(width(ord(digit)) for digit in "0123456789")
    return lambda code: figure if chr(code) in "0123456789" else width(code)


def mapping(cmap):
    for index in range(struct.unpack(">H", cmap[2:4])[0]):
        _, _, offset = struct.unpack(">HHI", cmap[4 + 8 * index:12 + 8 * index])
        table = cmap[offset:]
        if struct.unpack(">H", table[:2])[0] != 12:
            continue
        found = {}
        for group in range(struct.unpack(">I", table[12:16])[0]):
            first, last, glyph = struct.unpack(">III", table[16 + 12 * group:28 + 12 * group])
            for code in range(first, last + 1):
                found[code] = glyph + code - first
        return found
    raise ValueError("no cmap of format 12")


def lines(numbers, width=20):
    numbers = [str(number) for number in numbers]
    for start in range(0, len(numbers), width):
        yield "        " + ", ".join(numbers[start:start + width]) + ","


def font_table():
    out = [
        "// Written by Shared/Client/Tests/CardTables/generate.py from Debian's fonts-inter; not by hand.", "",
        "/// How wide the characters of Inter are, in thousandths of the point size. Inter (SIL Open Font License 1.1) is",
        "/// measured because it is free and a little wider than the system font of an iPhone, whose widths Apple does not",
        "/// publish.",
        "enum FontAdvances {",
        f"    /// U+0020 to U+007E, then U+00A0 to U+00FF, then the symbols.",
        "    static let symbols = \"" + SYMBOLS + "\"",
    ]
    for name, file in WEIGHTS:
        advance = advances(FONTS / file)
        codes = [code for low, high in RANGES for code in range(low, high + 1)] + [ord(symbol) for symbol in SYMBOLS]
        out.append(f"    static let {name}: [UInt16] = [")
        out += lines(advance(code) for code in codes)
        out.append("    ]")
    return "\n".join([*out, "}", ""])


def channels(colour):
    return [int(colour[place:place + 2], 16) for place in (0, 2, 4)]


def luminance(colour):
    parts = [value / 255 for value in channels(colour)]
    red, green, blue = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def moved(colour, backgrounds, towards, wanted):
    for step in range(101):
        mixed = "".join(f"{round(a + (b - a) * step / 100):02X}" for a, b in zip(channels(colour), channels(towards)))
        if all(contrast(mixed, background) >= wanted for background in backgrounds):
            return mixed
    raise ValueError(colour)


def field(colour, backgrounds, towards):
    """Told apart from the card behind it, and with a text on it that can be read: white where little darkening makes it so."""
    apart = moved(colour, backgrounds, towards, 1.4)
    for step in range(16):
        darker = "".join(f"{round(value * (100 - step) / 100):02X}" for value in channels(apart))
        told = all(contrast(darker, background) >= 1.4 for background in backgrounds)
        if told and contrast(darker, "FFFFFF") >= 4.6:
            return darker, "FFFFFF"
    return apart, max(("000000", "FFFFFF"), key=lambda text: contrast(text, apart))


def pair(colour):
    values = []
    for card, other in ((LIGHT, "000000"), (DARK, "FFFFFF")):
        background, text = field(colour, card, other)
        away = "000000" if text == "FFFFFF" else "FFFFFF"
        values += [background, text, moved(colour, card, other, 4.6), moved(background, (text,), away, 7.1)]
    return ".init(" + ", ".join(f"0x{value}" for value in values) + ")"


def colour_table():
    out = [
        "// Written by Shared/Client/Tests/CardTables/generate.py; not by hand.", "",
        "/// A side's colour on a light and on a dark card: as a field, as text on that field, as text on the card, and as a field",
        "/// where more contrast is asked for.",
        "struct TeamColours: Hashable, Sendable {",
        "    struct On: Hashable, Sendable {",
        "        var field: CardColour",
        "        var onField: CardColour",
        "        var text: CardColour",
        "        var contrastField: CardColour",
        "    }", "",
        "    var light: On",
        "    var dark: On", "",
        "    init(",
        "        _ lightField: UInt32, _ onLightField: UInt32, _ lightText: UInt32, _ lightContrast: UInt32,",
        "        _ darkField: UInt32, _ onDarkField: UInt32, _ darkText: UInt32, _ darkContrast: UInt32",
        "    ) {",
        "        light = On(",
        "            field: CardColour(lightField), onField: CardColour(onLightField), text: CardColour(lightText),",
        "            contrastField: CardColour(lightContrast))",
        "        dark = On(",
        "            field: CardColour(darkField), onField: CardColour(onDarkField), text: CardColour(darkText),",
        "            contrastField: CardColour(darkContrast))",
        "    }", "",
        "    /// By the side's short name: near the colour of its usual shirt.",
        "    static let known: [String: TeamColours] = [",
    ]
    out += [f"        \"{team}\": {pair(colour)}," for team, colour in sorted(TEAMS.items())]
    out += ["    ]", "", "    /// For any other side.", "    static let others: [TeamColours] = ["]
    out += [f"        {pair(colour)}," for colour in OTHERS]
    return "\n".join([*out, "    ]", "}", ""])


def main():
    folder = pathlib.Path(sys.argv[1])
    (folder / "FontAdvances.swift").write_text(font_table())
    (folder / "TeamColours.swift").write_text(colour_table())


if __name__ == "__main__":
    main()

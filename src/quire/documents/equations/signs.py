"""Signs of mathematics and their names in LaTeX, and the encodings of TeX's mathematical fonts.

Tables alone; `symbols` looks things up in them.
"""

from __future__ import annotations


def _named(pairs: str) -> dict[str, str]:
    """Signs and the names of their commands, in turn."""
    words = pairs.split(" ")
    return dict(zip(words[::2], words[1::2], strict=True))


GREEK = _named(
    "α alpha β beta γ gamma δ delta ϵ epsilon ζ zeta η eta θ theta ι iota κ kappa λ lambda μ mu ν nu "
    "ξ xi π pi ρ rho σ sigma τ tau υ upsilon ϕ phi χ chi ψ psi ω omega ε varepsilon ϑ vartheta "
    "ϖ varpi ϱ varrho ς varsigma φ varphi"
)
CAPITALS = _named("Γ Gamma Δ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma Υ Upsilon Φ Phi Ψ Psi Ω Omega")
ORDINARY = _named(
    "∂ partial ∇ nabla ∞ infty ℏ hbar ℓ ell ∀ forall ∃ exists ∄ nexists ∅ emptyset ℘ wp ℜ Re ℑ Im "
    "ℵ aleph † dagger ‡ ddagger ⊤ top ⊥ perp … ldots ⋯ cdots ⋮ vdots ⋱ ddots ° circ ∠ angle "
    "△ triangle □ square ¬ neg ♯ sharp ♭ flat ′ prime ″ prime\\prime ‵ backprime ı imath ȷ jmath "
    "ð eth ∎ blacksquare ★ star ⋆ star § S ¶ P € euro £ pounds"
)
RELATIONS = _named(
    "≤ leq ≥ geq ≠ neq ≈ approx ≡ equiv ∼ sim ≃ simeq ≅ cong ∝ propto ≪ ll ≫ gg ∈ in ∉ notin ∋ ni "
    "⊂ subset ⊃ supset ⊆ subseteq ⊇ supseteq → rightarrow ← leftarrow ↔ leftrightarrow ⇒ Rightarrow "
    "⇐ Leftarrow ⇔ Leftrightarrow ↦ mapsto ↑ uparrow ↓ downarrow ⟶ longrightarrow ⟵ longleftarrow "
    "⟹ Longrightarrow ≺ prec ≻ succ ⪯ preceq ⪰ succeq ≼ preceq ≽ succeq ⊢ vdash ⊨ models ≔ coloneqq "
    "≜ triangleq ≐ doteq ⩽ leqslant ⩾ geqslant ≲ lesssim ≳ gtrsim ⊥ perp ∥ parallel ↪ hookrightarrow "
    "⇀ rightharpoonup ⇌ rightleftharpoons ≍ asymp ⊏ sqsubset ⊑ sqsubseteq ⊒ sqsupseteq ⋈ bowtie "
    "∣ mid ⟺ Longleftrightarrow"
)
BINARY = _named(
    "± pm ∓ mp × times ÷ div · cdot ⋅ cdot ∙ bullet ∗ ast ∘ circ • bullet ⊗ otimes ⊕ oplus ⊖ ominus "
    "⊘ oslash ⊙ odot ∧ wedge ∨ vee ∩ cap ∪ cup ⊎ uplus ⊓ sqcap ⊔ sqcup ∖ setminus ⋄ diamond "
    "⊞ boxplus ⊠ boxtimes ⋉ ltimes ⋊ rtimes ⨯ times ◦ circ"
)
LARGE = _named(
    "∑ sum ∏ prod ∐ coprod ∫ int ∬ iint ∭ iiint ∮ oint ⋃ bigcup ⋂ bigcap ⨆ bigsqcup ⨁ bigoplus "
    "⨂ bigotimes ⨀ bigodot ⨄ biguplus ⋀ bigwedge ⋁ bigvee"
)
ACCENTS = _named(
    "ˆ hat \u0302 hat ˜ tilde \u0303 tilde ¯ bar \u0304 bar \u0305 overline \u20d7 vec ˙ dot \u0307 dot "
    "¨ ddot \u0308 ddot ´ acute \u0301 acute \u0300 grave ˇ check \u030c check ˘ breve \u0306 breve "
    "˚ mathring \u030a mathring"
)

# Codes of TeX's extension fonts (OMX): delimiters by size, large operators, wide accents, radicals.
OMX_DELIMITERS = (
    (0x00, "()[]⌊⌋⌈⌉{}⟨⟩|‖/\\"),
    (0x10, "()()[]⌊⌋⌈⌉{}⟨⟩/\\"),
    (0x20, "()[]⌊⌋⌈⌉{}⟨⟩/\\/\\"),
    (0x44, "⟨⟩"),
    (0x68, "[]⌊⌋⌈⌉{}"),
)
OMX_PIECES = {
    0x30: "(",
    0x31: ")",
    0x32: "[",
    0x33: "]",
    0x34: "[",
    0x35: "]",
    0x36: "[",
    0x37: "]",
    0x38: "{",
    0x39: "}",
    0x3A: "{",
    0x3B: "}",
    0x3C: "{",
    0x3D: "}",
    0x3E: "{",
    0x3F: "|",
    0x40: "(",
    0x41: ")",
    0x42: "(",
    0x43: ")",
    0x77: "‖",
    0x0C: "|",
    0x0D: "‖",
}
OMX_LARGE = ((0x46, "⨆⨆∮∮⨀⨀⨁⨁⨂⨂∑∏∫⋃⋂⨄⋀⋁∑∏∫⋃⋂⨄⋀⋁∐∐"),)
# Codes of TeX's fonts of signs (OMS) and of letters (OML), in order; a blank stands for what is not read.
OMS = (
    "−·×∗÷⋄±∓⊕⊖⊗⊘⊙ ◦•≍≡⊆⊇≤≥⪯⪰∼≈⊂⊃≪≫≺≻←→↑↓↔  ≃⇐⇒  ⇔  ∝′∞∈∋△ \u0338 ∀∃¬∅ℜℑ⊤⊥ℵ"
    "                          ∪∩⊎∧∨⊢ ⌊⌋⌈⌉{}⟨⟩|‖  \\ √ ∇∫⊔⊓⊑⊒§†‡¶"
)
OML = (
    "ΓΔΘΛΞΠΣΥΦΨΩαβγδϵζηθικλμνξπρστυϕχψωεϑϖϱςφ                  .,</>⋆∂"
    "                          ♭ ♯  ℓ                          ıȷ℘⃗"
)
# Parts of built-up delimiters in Unicode and in the private area that Adobe's glyph list gives them.
PIECES = {
    **dict.fromkeys("⎛⎜⎝\uf8eb\uf8ec\uf8ed", "("),
    **dict.fromkeys("⎞⎟⎠\uf8f6\uf8f7\uf8f8", ")"),
    **dict.fromkeys("⎡⎢⎣\uf8ee\uf8ef\uf8f0", "["),
    **dict.fromkeys("⎤⎥⎦\uf8f9\uf8fa\uf8fb", "]"),
    **dict.fromkeys("⎧⎨⎩\uf8f1\uf8f2\uf8f3\uf8f4⎪", "{"),
    **dict.fromkeys("⎫⎬⎭\uf8fc\uf8fd\uf8fe", "}"),
    "\uf8e6": "|",
    "⏐": "|",
}

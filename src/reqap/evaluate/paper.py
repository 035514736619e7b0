"""The paper's numbers: Hit@1 and Rlx-Hit@1 unless said otherwise, and what they were measured with.

Its PerQA and ours are different benchmarks: the numbers stand beside ours, not against them.
"""

# By method: SFT (1B), LLaMA3.3 (70B), GPT4o.
MAIN: dict[str, dict[str, tuple[float, float]]] = {
    "rag": {"SFT": (0.029, 0.06), "LLaMA3.3": (0.123, 0.18), "GPT4o": (0.149, 0.20)},
    "codegen": {"SFT": (0.315, 0.47), "LLaMA3.3": (0.239, 0.33), "GPT4o": (0.319, 0.44)},
    "reqap": {"SFT": (0.380, 0.53), "LLaMA3.3": (0.322, 0.46), "GPT4o": (0.386, 0.52)},
}
# By type of question, Hit@1 of RAG, CodeGen and ReQAP, all with GPT4o.
TYPES = {
    "ordering": (0.167, 0.440, 0.529), "grouping": (0.172, 0.444, 0.537),
    "temporal": (0.129, 0.290, 0.417), "aggregation": (0.130, 0.228, 0.296),
    "join": (0.073, 0.176, 0.236), "multi-source": (0.196, 0.237, 0.365),
}  # fmt: skip
# By persona, RAG, CodeGen and ReQAP (SFT).
PERSONAS = (
    ((0.037, 0.06), (0.358, 0.48), (0.427, 0.56)), ((0.038, 0.06), (0.337, 0.48), (0.394, 0.53)),
    ((0.032, 0.06), (0.319, 0.48), (0.404, 0.55)), ((0.015, 0.08), (0.285, 0.46), (0.357, 0.52)),
    ((0.029, 0.06), (0.292, 0.45), (0.368, 0.52)), ((0.024, 0.04), (0.299, 0.46), (0.335, 0.50)),
)  # fmt: skip
# On its dev set, SFT.
ABLATIONS = {
    "": (0.396, 0.54), "one-shot": (0.356, 0.50), "sparse-only": (0.269, 0.36),
    "keys-only": (0.138, 0.23),
}  # fmt: skip
# By size of the operators, then of QUD (XS 135M, S 360M, M 1B, L 3B), on its dev set.
SIZES: dict[str, tuple[tuple[float, float], ...]] = {
    "XS": ((0.167, 0.28), (0.185, 0.28), (0.193, 0.31), (0.193, 0.30)),
    "S": ((0.240, 0.37), (0.287, 0.41), (0.302, 0.42), (0.302, 0.42)),
    "M": ((0.331, 0.48), (0.353, 0.51), (0.378, 0.50), (0.389, 0.52)),
    "L": ((0.356, 0.51), (0.364, 0.52), (0.396, 0.54), (0.400, 0.55)),
}
# Millions of parameters.
QUD_SIZES = {"XS": 135, "S": 360, "M": 1000, "L": 3000}
OPERATOR_SIZES = {"XS": 4 + 16, "S": 16 + 31, "M": 23 + 70, "L": 33 + 139}
# Seconds per question on a GPU: QUD, OTX, both, and the median of both.
SECONDS = {"QUD": 0.56, "OTX": 11.53, "total": 12.09, "median": 3.57}
# Seconds of one operator, on average.
OPERATORS = {
    "RETRIEVE": 2.61, "EXTRACT": 5.93, "JOIN": 2.29, "GROUP_BY": 4.82e-3, "FILTER": 1.65e-2,
    "MAP": 3.44e-1, "APPLY": 4.82e-3, "UNNEST": 3.36e-1, "ARGMIN": 3.36e-1, "ARGMAX": 8.61e-5,
    "MIN": 1.74e-4, "MAX": 1.33e-4, "SUM": 1.20e-4, "AVG": 1.13e-4,
}  # fmt: skip

"""Interpolated modified Kneser–Ney, slow and obvious: the truth the compiled one is held to."""

import math
from collections import Counter, defaultdict

Gram = tuple[str, ...]


class SlowModel:
    """Chen & Goodman's equations with dictionaries, the conventions of KenLM's lmplz."""

    def __init__(self, sentences: list[list[str]], order: int) -> None:
        framed = [["<s>", *words, "</s>"] for words in sentences]
        self.order = min(order, max(map(len, framed)))
        self.counts = [self._adjusted(framed, k) for k in range(1, self.order + 1)]
        self.discounts = [self._discounts(counts) for counts in self.counts]
        self.vocabulary = {gram[0] for gram in self.counts[0]} | {"<unk>"}

    def _adjusted(self, framed: list[list[str]], k: int) -> Counter[Gram]:
        """Return plain counts at the top, below it the number of different words before."""
        plain: Counter[Gram] = Counter()
        before: dict[Gram, set[str]] = defaultdict(set)
        for words in framed:
            for i in range(len(words) - k + 1):
                gram = tuple(words[i : i + k])
                plain[gram] += 1
                if i > 0:
                    before[gram].add(words[i - 1])
        if k == self.order:
            chosen = plain
        else:
            chosen = Counter({g: n if g[0] == "<s>" else len(before[g]) for g, n in plain.items()})
        if k == 1:
            del chosen[("<s>",)]
        return chosen

    def _discounts(self, counts: Counter[Gram]) -> tuple[float, ...]:
        n = Counter(counts.values())
        if n[1] and n[2] and n[3]:
            y = n[1] / (n[1] + 2 * n[2])
            found = tuple(j - (j + 1) * y * n[j + 1] / n[j] for j in (1, 2, 3))
            if all(0 < d <= j for j, d in enumerate(found, 1)):
                return found
        return (0.5, 1.0, 1.5)

    def probability(self, gram: Gram) -> float:
        """Return p(last word | words before), backing off where a context was never seen."""
        k = len(gram)
        if k == 0:
            return 1 / len(self.vocabulary)
        counts, discounts = self.counts[k - 1], self.discounts[k - 1]
        rivals = [n for other, n in counts.items() if other[:-1] == gram[:-1]]
        if not rivals:
            return self.probability(gram[1:])
        total = sum(rivals)
        left = sum(discounts[min(n, 3) - 1] for n in rivals) / total
        seen = counts[gram]
        own = seen - discounts[min(seen, 3) - 1] if seen else 0.0
        return own / total + left * self.probability(gram[1:])

    def logs(self, words: list[str]) -> list[float]:
        """Return log10 p of each word and of </s>."""
        known = [word if word in self.vocabulary else "<unk>" for word in words]
        framed = ["<s>", *known, "</s>"]
        result = []
        for i in range(1, len(framed)):
            gram = tuple(framed[max(0, i - self.order + 1) : i + 1])
            result.append(math.log10(self.probability(gram)))
        return result

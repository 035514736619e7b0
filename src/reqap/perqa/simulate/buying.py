"""Orders from online shops."""

from datetime import date, timedelta

from reqap.perqa import facts
from reqap.perqa.simulate.life import Life, at, poisson

_NOT_TWICE = timedelta(days=200)
_CONSUMED = frozenset({"groceries", "pet supplies", "beauty", "health", "baby", "office"})


def add_purchases(life: Life) -> None:
    chance = life.chance("purchases")
    persona = life.persona
    categories = persona.shopping.genres
    offered = {
        name: [product for product in facts.products() if product.category == name]
        for name in categories
    }
    liked = [1 / (n + 1) ** 0.6 for n in range(len(categories))]
    rate = facts.exchange_rates()[persona.currency]
    last: dict[str, date] = {}
    orders = 0
    for day in life.days():
        mean = persona.shopping.frequency / 30 * (1.9 if day.month in (11, 12) else 0.9)
        for _ in range(poisson(chance, mean)):
            start = at(day, chance.choice((7, 12, 13, 18, 20, 21, 21.5, 22, 22.5)))
            start += timedelta(minutes=chance.randrange(40), seconds=chance.randrange(60))
            orders += 1
            order = f"{chance.randrange(100, 999)}-{orders:05d}-{chance.randrange(1000, 9999)}"
            for nth in range(chance.choice((1, 1, 1, 1, 2, 2, 3))):
                category = chance.choices(categories, liked)[0]
                product = chance.choice(offered[category])
                bought = last.get(product.name)
                again = bought is not None and day - bought < _NOT_TWICE
                if again and category not in _CONSUMED:
                    continue
                last[product.name] = day
                price = product.price * rate * chance.uniform(0.92, 1.12)
                several = category in _CONSUMED and chance.random() < 0.3
                life.add(
                    "purchases",
                    start + nth * timedelta(seconds=1),
                    start + nth * timedelta(seconds=1),
                    {
                        "product": product.name, "category": category,
                        "price": round(price, facts.decimals(persona.currency)),
                        "currency": persona.currency,
                        "quantity": chance.randint(2, 4) if several else 1, "order_id": order,
                    },
                    takes_time=False,
                )  # fmt: skip

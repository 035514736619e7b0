# ReQAP in a container; docs/running.md says how to build it, start it, and cut it off from the network.
FROM python:3.12-slim AS build
WORKDIR /build
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN python -m venv /opt/reqap && /opt/reqap/bin/python -m pip install --no-cache-dir .

FROM python:3.12-slim
# The runtime of the language model needs OpenMP.
RUN apt-get update && apt-get install --yes --no-install-recommends libgomp1 && rm -rf /var/lib/apt/lists/*
RUN useradd --uid 10001 --create-home reqap && install -d -o reqap -g reqap -m 700 /data
COPY --from=build /opt/reqap /opt/reqap
ENV PATH=/opt/reqap/bin:$PATH REQAP_DB=/data/life.duckdb
USER reqap
WORKDIR /data
VOLUME /data
EXPOSE 8765
CMD ["reqap", "serve", "--container"]

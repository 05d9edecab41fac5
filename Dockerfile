# quire's server in a container; the library is a volume, and nobody comes in without a key.
#   docker build -t quire .
#   docker run --rm -v quire:/library quire quire serve key add me        # prints it, once
#   docker run --rm -p 8765:8765 -v quire:/library quire                  # http://localhost:8765
FROM python:3.12-slim AS build
WORKDIR /src
COPY requirements.lock pyproject.toml README.md LICENSE ./
RUN python -m venv /opt/quire \
    && /opt/quire/bin/pip install --no-cache-dir --no-deps --require-hashes -r requirements.lock
COPY src src
RUN /opt/quire/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

FROM python:3.12-slim
RUN useradd --create-home --uid 10001 quire && mkdir /library && chown quire /library
COPY --from=build /opt/quire /opt/quire
USER 10001
ENV PATH=/opt/quire/bin:$PATH QUIRE_LIBRARY=/library QUIRE_HOME=/home/quire/.quire
VOLUME /library
EXPOSE 8765
HEALTHCHECK CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8765/api/v1/health')"]
CMD ["quire", "serve", "--host", "0.0.0.0", "--host-name", "localhost"]

# docker build -t clockwright .
# The page listens on loopback; to reach it from outside the container say so in clockwright.yaml, with a token:
#   http: {host: 0.0.0.0, port: 8470, operator_token: page_operator}
# docker run -v ./config:/etc/clockwright:ro -v clockwright:/var/lib/clockwright -p 127.0.0.1:8470:8470 clockwright
FROM python:3.11-slim-bookworm AS build
WORKDIR /src
COPY requirements/run.lock requirements/
RUN python -m venv /opt/clockwright && /opt/clockwright/bin/pip install --no-cache-dir --require-hashes -r requirements/run.lock
COPY . .
RUN /opt/clockwright/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

FROM python:3.11-slim-bookworm
RUN useradd --system --home-dir /var/lib/clockwright --create-home clockwright
COPY --from=build /opt/clockwright /opt/clockwright
ENV PATH=/opt/clockwright/bin:$PATH CLOCKWRIGHT_CONFIG=/etc/clockwright CLOCKWRIGHT_STATE=/var/lib/clockwright
USER clockwright
VOLUME /var/lib/clockwright
# Longer than the drain: docker stop --time 60, or stop_grace_period in a compose file.
STOPSIGNAL SIGTERM
ENTRYPOINT ["clockwright"]
CMD ["serve", "--drain", "30"]

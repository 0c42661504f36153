"""What is taken out of texts, what stays, and that nothing else changes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.redaction import redact

JWT = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
GITHUB = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3gH5"
AWS_ID = "AKIA" + "IOSFODNN7ABCDEFG"
AWS_SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzz12"
PEM = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEpAIBAAKCAQEA7bq3\n" * 8 + "-----END RSA PRIVATE KEY-----"

SECRETS = [  # text with the secret between « and »
    # env files and shells
    "FOO_TOKEN=«abc123def456»",
    "export DB_PASSWORD=«correcthorse»",
    'export DB_PASSWORD="«correct horse»"',
    "DB_PASSWORD=«p@ss,word!(1)»\nNEXT=1",
    "PGPASSWORD=«postgres» psql -h db",
    "docker run -e API_KEY=«a8f5f167f44f4964e6c998dee827110c» app",
    "password=«hunter2»",
    "spring.datasource.password=«hunter»",
    "//registry.npmjs.org/:_authToken=«0f9b3c1e-aaaa-bbbb-cccc-0123456789ab»",
    f"aws_secret_access_key = «{AWS_SECRET}»",
    "requirepass=«foobared9»",
    # YAML and INI
    "password: «hunter2»",
    "db:\n  password: «postgres»\n  user: me",
    "  - client_secret: «s3cr3t-value» # of the app",
    "[client]\npassword = «hunter2»\n",
    "POSTGRES_PASSWORD: «postgres»",
    'api_key: "«k-12345678»"',
    "apiKey: '«9f86d081884c7d65»',",
    # JSON inside other text, escaped or not
    'got {"password": "«x9!»", "user": "me"} back',
    'got {"password":"«it\'s \\"quoted\\"»"} back',
    'log: "{\\"access_token\\":\\"«abcd1234efgh»\\",\\"n\\":1}"',
    '["Authorization", "x"] {"Authorization": "Bearer «abcdefgh12345»"}',
    # headers
    "Authorization: Bearer «hunter2abc»\r\nAccept: */*",
    'curl -H "Authorization: Bearer «abc.def.ghi123»" http://x',
    "curl -H 'X-Api-Key: «0123456789abcdef»' http://x",
    "authorization: Basic «dXNlcjpwYXNzd29yZA==»",
    "Proxy-Authorization: token «abcd1234»",
    "Cookie: «sid=abc123; theme=dark»",
    "Set-Cookie: sid=«abc123def»; Path=/; HttpOnly",
    "sent Bearer «mF_9.B5f-4.1JqM12345» to it",
    # URLs
    "postgres://app:«s3cr3t!»@db:5432/app",
    "REDIS_URL=redis://:«hunter22»@cache:6379/0",
    "https://x.test/cb?access_token=«abcdef»&state=1",
    "https://x.test/?page=2&api_key=«abc123def»#top",
    "https://b.s3.amazonaws.com/k?X-Amz-Signature=«0123456789abcdef0123456789abcdef»",
    "https://hooks.slack.com/services/«T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX»",
    # code and options
    'password = "«hunter2»"',
    "client.login(user='me', password='«hunter2»')",
    'const apiKey = "«abcd1234efgh5678»";',
    'os.environ["API_TOKEN"] = "«abcd1234efgh»"',
    'if password == "«hunter2»":',
    "mysql --password=«hunter2» app",
    "tool --token «abcd1234efgh» run",
    "<password>«hunter2»</password>",
    '<add key="ApiPassword" value="x"/><c password="«hunter2»"/>',
    # by form alone
    f"found «{JWT}» there",
    f"x «{AWS_ID}» y",
    f"«{AWS_ID}»,«{AWS_SECRET}»",
    f"remote: «{GITHUB}»",
    "«github_pat_11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz0123456789»",
    "«sk-proj-abcdEFGH1234ijklMNOP5678qrst»",
    "«sk-ant-api03-AbCd1234EfGh5678IjKl»",
    "«xoxb-123456789012-abcdefABCDEF»",
    "key=«AIzaSyA1234567890abcdefghijklmnopqrstuv»",
    "«tvly-SECRET-0123456789»",
    "«ofk_0123456789abcdefghijABCDEFGHIJ0123456789abc»",
    "«sk_live_0123456789abcdefABCDEF»",
    "«glpat-0123456789abcdefABCD»",
    f"cat key.pem\n«{PEM}»\n",
    f"lines\\n«{GITHUB}»\\n",
    "«-----BEGIN OPENSSH PRIVATE KEY-----\n" + "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\n" * 3 + "b3Bl»",
]

PLAIN = [
    "token_count: 5",
    "max_tokens=1600",
    '{"max_tokens": 1600, "tokens": 84, "total_tokens": 12345678, "token": 5}',
    "def get_token(self):",
    'password = os.environ["X"]',
    "password = os.environ.get('DB_PASSWORD')",
    "token = self.next_token()",
    "token = settings.API_TOKEN",
    "password=password, token=token)",
    "    password=hashed,\n    token=access_token,\n",
    "self.password = password",
    "connect(password=pw)",
    "password: str | None = None",
    "token: str",
    "password: string;",
    "secret: SecretStr",
    "PWD=/work/project\nOLDPWD=/tmp",
    "commit 6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b",
    "sha256: 6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b",
    "index 83db48f..bf269f4 100644",
    "id 550e8400-e29b-41d4-a716-446655440000",
    '{"content_sha256": "18485851b3a762ac5b45611130743467285045630a4724ce71f1ed79e2f1b605"}',
    '{"password_hash": "5e884898da28047151d0e56f8dc6292773603d0d"}',
    'curl -H "Authorization: Bearer $KEY"',
    "Authorization: Bearer <api key>",
    "Send `Authorization: Bearer <api key>`.",
    "Authorization: Bearer ${TOKEN}",
    'headers = {"Authorization": f"Bearer {token}"}',
    "export KEY=$(make_key)",
    "export API_TOKEN=$TOKEN",
    "DB_PASSWORD=${DB_PASSWORD:-}",
    "PASSWORD=",
    'password: ""',
    "postgres://user:password@host/name",
    "postgres://user:$PGPASSWORD@host/name",
    "http://localhost:8000/a@b",
    "git@github.com:me/repo.git",
    "password: required",
    "Password: incorrect",
    "Enter your password: ",
    '{"password": "Enter your password"}',
    '{"properties": {"password": {"type": "string"}, "token": {"$ref": "#/t"}}}',
    '{"type": "password", "name": "password"}',
    "the token is expired; ask for a new token.",
    'print("token: " + token + " done")',
    'log("password=%s", x)',
    'f"password={password}&x"',
    "--password PASSWORD  the password to use",
    "--token TOKEN",
    "--password-stdin",
    "tokenizer = Tokenizer.from_file('a.json')",
    '{"eos_token": "<|endoftext|>", "next_token": "abcd1234efgh5678"}',
    "-----BEGIN PRIVATE KEY-----",
    'if "-----BEGIN RSA PRIVATE KEY-----" in text:\n    return None',
    "passed=12345 failed=0",
    "test_password_reset PASSED",
    "secrets.token_urlsafe(48)",
    "token_url: https://auth.example.com/oauth/token",
    "secret: /run/secrets/db",
    "OFFLOAD_SIGNING_KEY_FILE=/run/secrets/key_1234",
    "primary_key=True",
    '{"key": "abcd1234efgh", "public_key": "abcd1234efgh5678"}',
    ".sk-loading-spinner-container-large { }",
    "monkey: banana12345",
    "cookie: expected",
    "session_key: shop",
    "sort(key=lambda x: x.token)",
    "password: '[redacted:password]'",
    "password=[redacted:password]",
    "password=********",
]


def parts(marked: str) -> tuple[str, list[str]]:
    secrets = [piece.partition("»")[0] for piece in marked.split("«")[1:]]
    return marked.replace("«", "").replace("»", ""), secrets


@pytest.mark.parametrize("marked", SECRETS)
def test_a_secret_is_replaced_and_nothing_else(marked: str) -> None:
    text, secrets = parts(marked)
    done = redact(text)
    assert done.count == len(secrets)
    rest = marked
    for secret in secrets:
        rest = rest.replace(f"«{secret}»", "\0", 1)
    at = 0
    for piece in rest.split("\0"):  # what is around the secrets is there in order, with marks between
        found = done.text.find(piece, at)
        assert found >= 0, done.text
        between = done.text[at:found]
        assert not between or (between.startswith("[redacted:") and between.endswith("]")), done.text
        at = found + len(piece)


@pytest.mark.parametrize("text", PLAIN)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redact(text).text == text


@pytest.mark.parametrize("marked", SECRETS)
def test_a_secret_is_found_inside_json_and_inside_json_in_json(marked: str) -> None:
    text, secrets = parts(marked)
    for value in (
        [{"type": "text", "text": text}],
        {"stdout": json.dumps({"out": 'é 😀 "x"', "text": text})},
    ):
        for ascii_only in (True, False):
            done = redact(json.dumps(value, ensure_ascii=ascii_only))
            assert done.count == len(secrets)
            inner = str(strings(json.loads(done.text)))
            assert not [secret for secret in secrets if secret in inner]


def strings(value: object) -> list[str]:
    """Return the texts of a value, those of JSON in them too."""
    if isinstance(value, str):
        try:
            return strings(json.loads(value)) if value[:1] == "{" else [value]
        except ValueError:
            return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for one in inner for text in strings(one)]


EXACT = [
    (
        '{ "a" : 1.50e3 , "password":"h\\u0075nter2", "n": 10000000000000000000001,"b":[ 1,2 ] }',
        '{ "a" : 1.50e3 , "password":"[redacted:password]", "n": 10000000000000000000001,"b":[ 1,2 ] }',
    ),
    ('{"password": 12345678}', '{"password": "[redacted:password]"}'),
    ('{"cookie": ["sid=abc12345"]}', '{"cookie": ["[redacted:cookie]"]}'),
    (
        '[{"name": "API_TOKEN", "value": "abcd1234efgh"}, {"name": "COLOUR", "value": "abcd1234efgh"}]',
        '[{"name": "API_TOKEN", "value": "[redacted:token]"}, {"name": "COLOUR", "value": "abcd1234efgh"}]',
    ),
    (
        '{"value": "hunter2", "name": "DB_PASSWORD"}',
        '{"value": "[redacted:password]", "name": "DB_PASSWORD"}',
    ),
    (
        '{"t": "\\ud83d\\ude00\\n tvly-SECRET-0123456789 \\ud800"}',
        '{"t": "\\ud83d\\ude00\\n [redacted:api_key] \\ud800"}',
    ),
    (
        '{"headers": {"Authorization": "Bearer abc123", "Set-Cookie": "a=b1234567; Path"}}',
        '{"headers": {"Authorization": "Bearer [redacted:authorization]", "Set-Cookie": "a=[redacted:cookie]; Path"}}',
    ),
]


@pytest.mark.parametrize(("text", "wanted"), EXACT)
def test_json_keeps_its_spelling(text: str, wanted: str) -> None:
    assert redact(text).text == wanted
    json.loads(wanted)


NAMES = st.sampled_from(
    ["password", "API_TOKEN", "client_secret", "x", "Authorization", "Cookie", "--token", "key"]
)
SEPARATORS = st.sampled_from(
    ["=", ": ", '": "', "='", " ", ' = "', "\n", '\\"', "&", "://u:", "@", "{", "}", "[", ","]
)
VALUES = st.sampled_from(
    [GITHUB, JWT, "hunter2", "$X", "abcd1234efgh", "Bearer abc12345", "a=b; c=d1", "🙂", PEM[:60]]
)
MIXED = st.lists(st.one_of(NAMES, SEPARATORS, VALUES, st.text(max_size=5)), max_size=20).map("".join)


@given(MIXED)
def test_what_is_redacted_comes_back_as_it_is(text: str) -> None:
    once = redact(text)
    assert redact(once.text) == type(once)(once.text, 0)
    assert (once.count == 0) == (once.text == text)


@given(
    st.recursive(
        st.one_of(
            st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), MIXED
        ),
        lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(MIXED, inner, max_size=4)),
        max_leaves=12,
    )
)
def test_json_stays_json_of_the_same_shape(value: object) -> None:
    text = json.dumps(value)
    after = redact(text).text
    assert shape(json.loads(after)) == shape(json.loads(text)) or "redacted" in after
    assert redact(after).count == 0


def shape(value: object) -> object:
    if isinstance(value, dict):
        return [shape(one) for one in value.values()]
    if isinstance(value, list):
        return list(map(shape, value))
    return isinstance(value, str)


@given(st.text(alphabet="abc def\n.,", max_size=200))
def test_a_text_without_a_secret_is_never_changed(text: str) -> None:
    assert redact(text).text == text


@given(MIXED)
def test_overwritten_with_stars_a_text_keeps_its_length(text: str) -> None:
    done = redact(text, same_length=True)
    assert len(done.text) == len(text)


HOSTILE = [
    "token=",
    'token="',
    "token='token=\"",
    'token=\\"',
    "password: ",
    "Authorization: Bearer ",
    "Cookie: a=b ",
    "eyJaaaaaaaa.",
    "-----BEGIN PRIVATE KEY-----\nAAAA\n",
    "://a:b",
    '"',
    "[",
    '\\"',
    "<password>",
    "_token_",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_text_made_to_take_long_is_read_in_one_go(piece: str) -> None:
    """What is not linear does not end within the time that a test has."""
    size = 2**20 if len(piece) > 6 else 2**18
    text = (piece * (size // len(piece) + 1))[:size]
    assert redact(redact(text).text).count == 0

#!/usr/bin/env php
<?php
// Verifies a history or a list of entitlements that an app has sent (JWS, ES256). It needs php-cli with OpenSSL.
//   ./history.php keys.json https://store.example io.example.lumen <document     prints the payload, or exits with 1
declare(strict_types=1);

const LIST_TYPE = 'onside-entitlements+jwt'; // typ of a list of entitlements; a history has none
const LIFETIME = 300; // seconds of the cached keys
const PAUSE = 30; // seconds between two requests for unknown keys

function decode(string $text): string
{
    return base64_decode(strtr($text, '-_', '+/'), true) ?: throw new UnexpectedValueException('no base64url');
}

// The store's keys by their ids, in a file that all requests share; fetched again for an unknown key.
function keys(string $store, string $file, string $id): array
{
    $age = file_exists($file) ? time() - filemtime($file) : PHP_INT_MAX;
    $known = $age < LIFETIME ? json_decode(file_get_contents($file), true) : [];
    if (!isset($known[$id]) && $age >= PAUSE) {
        $context = stream_context_create(['http' => ['timeout' => 10]]);
        $text = @file_get_contents("$store/.well-known/jwks.json", false, $context);
        $found = json_decode($text ?: 'null', true)['keys'] ?? throw new RuntimeException("no keys from $store");
        $found = array_filter($found, fn($key) => $key['kty'] === 'EC' && $key['crv'] === 'P-256');
        $known = array_column($found, null, 'kid');
        $part = "$file." . getmypid();
        file_put_contents($part, json_encode($known));
        rename($part, $file);
    }
    return $known;
}

// SubjectPublicKeyInfo of P-256, and the point.
function public_key(array $key): string
{
    $start = hex2bin('3059301306072a8648ce3d020106082a8648ce3d030107034200') . "\x04";
    $text = chunk_split(base64_encode($start . decode($key['x']) . decode($key['y'])), 64, "\n");
    return "-----BEGIN PUBLIC KEY-----\n$text-----END PUBLIC KEY-----\n";
}

// Two numbers of 32 bytes as the DER that OpenSSL expects.
function der(string $raw): string
{
    $number = function (string $bytes): string {
        $bytes = ltrim($bytes, "\0");
        $bytes = $bytes === '' || ord($bytes[0]) > 127 ? "\0$bytes" : $bytes;
        return "\x02" . chr(strlen($bytes)) . $bytes;
    };
    $pair = $number(substr($raw, 0, 32)) . $number(substr($raw, 32));
    return "\x30" . chr(strlen($pair)) . $pair;
}

// The payload of a document; an exception for a document that is not genuine, or of another app.
function verify(string $document, callable $keys, string $app, ?string $type, string $environment = 'PRODUCTION'): array
{
    [$header, $payload, $signature] = explode('.', trim($document)) + ['', '', ''];
    $fields = json_decode(decode($header), true, flags: JSON_THROW_ON_ERROR);
    $raw = decode($signature);
    [$algorithm, $typ, $id] = [$fields['alg'] ?? null, $fields['typ'] ?? null, $fields['kid'] ?? ''];
    if ($algorithm !== 'ES256' || $typ !== $type || isset($fields['crit']) || strlen($raw) !== 64) {
        throw new UnexpectedValueException("expected ES256 and the type $type");
    }
    $key = $keys($id)[$id] ?? throw new UnexpectedValueException("the store has no key $id");
    if (openssl_verify("$header.$payload", der($raw), public_key($key), OPENSSL_ALGO_SHA256) !== 1) {
        throw new UnexpectedValueException('the signature is wrong');
    }
    $found = json_decode(decode($payload), true, flags: JSON_THROW_ON_ERROR);
    foreach ($type === LIST_TYPE ? [$found] : $found['transactions'] as $item) {
        if ($item['bundle_id'] !== $app || ($item['environment'] ?? null) !== $environment) {
            throw new UnexpectedValueException("expected $app in $environment, got {$item['bundle_id']}");
        }
    }
    if ($type === LIST_TYPE && !(strtotime($found['valid_until']) > time())) {
        throw new UnexpectedValueException("the list was valid until {$found['valid_until']}");
    }
    return $found;
}

try {
    $text = stream_get_contents(STDIN);
    $type = isset(json_decode(decode(explode('.', $text)[0]), true)['typ']) ? LIST_TYPE : null;
    $keys = fn(string $id) => keys($argv[2], $argv[1], $id);
    echo json_encode(verify($text, $keys, $argv[3], $type, ...array_slice($argv, 4))), "\n";
} catch (UnexpectedValueException | JsonException $error) {
    fwrite(STDERR, "not genuine: {$error->getMessage()}\n");
    exit(1);
}

<?php
// Receives the store's webhooks and writes entitlements to SQLite, as feed.php does. It needs php-sqlite3, and on a
// server php-fpm. Several secrets with spaces: during a rotation. To try it with php-cli:
//   ONSIDE_WEBHOOK_SECRET=whsec_... ONSIDE_GRANTS=grants.sqlite php -S 127.0.0.1:8000 webhook.php
declare(strict_types=1);

require __DIR__ . '/grants.php';

const TOLERANCE = 5 * 60; // seconds
const LARGEST = 1 << 20; // bytes of a body

// Whether one of the secrets has signed these bytes, at most five minutes ago (Standard Webhooks).
function is_genuine(array $server, string $body, array $secrets, int $now): bool
{
    $id = $server['HTTP_WEBHOOK_ID'] ?? '';
    $timestamp = $server['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (!preg_match('/^\d{1,11}$/D', $timestamp) || abs($now - (int) $timestamp) > TOLERANCE) {
        return false;
    }
    $given = explode(' ', $server['HTTP_WEBHOOK_SIGNATURE'] ?? '');
    foreach ($secrets as $secret) {
        $key = base64_decode(preg_replace('/^whsec_/', '', $secret));
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
        foreach ($given as $one) {
            if (hash_equals($expected, $one)) {
                return true;
            }
        }
    }
    return false;
}

function status(): int
{
    if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
        return 405;
    }
    // The bytes as they were signed; parsed JSON, written again, has others.
    $body = file_get_contents('php://input', length: LARGEST + 1);
    if (strlen($body) > LARGEST) {
        return 413;
    }
    if (!is_genuine($_SERVER, $body, explode(' ', getenv('ONSIDE_WEBHOOK_SECRET')), time())) {
        return 401;
    }
    $event = json_decode($body, true, flags: JSON_THROW_ON_ERROR);
    // Other types need nothing but an answer.
    if (in_array($event['type'], ['entitlement.changed', 'customer.removed'], true)) {
        $database = open_database(getenv('ONSIDE_GRANTS'));
        transaction($database, fn() => apply($database, $event));
    }
    return 204; // after the commit; without this answer the store sends the event again
}

try {
    http_response_code(status());
} catch (Throwable $error) {
    error_log((string) $error);
    http_response_code(500);
}

#!/usr/bin/env php
<?php
// Writes an app's entitlements to SQLite, from the store's feed of events. It needs php-cli and php-sqlite3.
//   ONSIDE_API_KEY=onsk_... ./feed.php http://127.0.0.1:8080 grants.sqlite [--once: stops at the feed's end]
declare(strict_types=1);

require __DIR__ . '/grants.php';

// The next events of the feed. An empty page arrives after `wait` seconds. The code of an exception is the status.
function page(string $store, ?string $cursor, int $wait): array
{
    $query = ['types' => 'entitlement.changed,customer.removed', 'wait' => $wait, 'after' => $cursor];
    $options = [
        'header' => 'Authorization: Bearer ' . getenv('ONSIDE_API_KEY'), 'timeout' => $wait + 30,
        'ignore_errors' => true, 'follow_location' => 0];
    $address = "$store/merchant-api/v1/events?" . http_build_query($query);
    $text = @file_get_contents($address, false, stream_context_create(['http' => $options]));
    $status = (int) (explode(' ', $http_response_header[0] ?? '')[1] ?? 0);
    if ($text === false || $status !== 200) {
        throw new RuntimeException("the feed cannot be read: $status", $status);
    }
    return json_decode($text, true, flags: JSON_THROW_ON_ERROR);
}

function main(string $store, string $path, bool $once): void
{
    $database = open_database($path);
    $save = $database->prepare('INSERT OR REPLACE INTO feed VALUES (1, ?)');
    while (true) {
        $cursor = $database->query('SELECT cursor FROM feed')->fetchColumn() ?: null;
        try {
            $found = page($store, $cursor, $once ? 0 : 30);
        } catch (RuntimeException | JsonException $error) {
            if ($once || in_array($error->getCode(), [400, 401, 403], true)) {
                throw $error;
            }
            sleep(5);
            continue;
        }
        if ($found['starts_over']) {
            // Customers that do not come again have to be checked: GET /merchant-api/v1/customers/{subject}
            fwrite(STDERR, "the store has lost events; all customers of the store come again\n");
        }
        transaction($database, function () use ($database, $found, $save) { // the grants and the cursor after them
            foreach ($found['events'] as $event) {
                apply($database, $event);
            }
            $save->execute([$found['cursor']]);
        });
        if ($once && $found['cursor'] === $cursor) {
            return;
        }
    }
}

main($argv[1], $argv[2], in_array('--once', $argv, true));

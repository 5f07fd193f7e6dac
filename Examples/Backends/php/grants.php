<?php
// The entitlements of an app's customers in SQLite, for feed.php and webhook.php.
declare(strict_types=1);

const SCHEMA = '
CREATE TABLE IF NOT EXISTS customers(subject TEXT PRIMARY KEY, user TEXT, sequence INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS grants(
  subject TEXT, order_id TEXT, user TEXT, product TEXT, until TEXT, PRIMARY KEY (subject, order_id));
CREATE TABLE IF NOT EXISTS feed(id INTEGER PRIMARY KEY CHECK (id = 1), cursor TEXT);';

function open_database(string $path): PDO
{
    $options = [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION, PDO::ATTR_TIMEOUT => 10];
    $database = new PDO("sqlite:$path", options: $options);
    $database->exec(SCHEMA);
    return $database;
}

// Runs an action in one transaction.
function transaction(PDO $database, callable $action): void
{
    $database->exec('BEGIN IMMEDIATE');
    try {
        $action();
        $database->exec('COMMIT');
    } catch (Throwable $error) {
        $database->exec('ROLLBACK');
        throw $error;
    }
}

// Replaces the grants of a customer, unless a newer event of the customer was applied before.
function apply(PDO $database, array $event): void
{
    $data = $event['data'];
    $subject = $data['subject'];
    $changed = $database->prepare(
        'INSERT INTO customers VALUES (?, ?, ?) ON CONFLICT(subject) DO UPDATE SET user = excluded.user,'
        . ' sequence = excluded.sequence WHERE excluded.sequence > customers.sequence');
    $changed->bindValue(1, $subject);
    $changed->bindValue(2, $data['app_account_token']);
    $changed->bindValue(3, $data['sequence'], PDO::PARAM_INT);
    $changed->execute();
    if ($changed->rowCount() === 0) {
        return;
    }
    $database->prepare('DELETE FROM grants WHERE subject = ?')->execute([$subject]);
    $grant = $database->prepare('INSERT INTO grants VALUES (?, ?, ?, ?, ?)');
    foreach ($data['customer']['entitlements'] as $item) {
        if (empty($item['revocation_date'])) {
            $until = $item['grace_until'] ?? $item['expires_at'] ?? null;
            $user = $item['app_account_token'] ?? null;
            $grant->execute([$subject, $item['order_id'], $user, $item['product_id'], $until]);
        }
    }
}

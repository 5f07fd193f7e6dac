#!/usr/bin/env node
// Writes an app's entitlements to SQLite, from the store's feed of events. It needs Node 22.13 or later alone.
//   ONSIDE_API_KEY=onsk_... ./feed.mjs http://127.0.0.1:8080 grants.sqlite [--once: stops at the feed's end]
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'

const SCHEMA = `
PRAGMA busy_timeout = 10000;
CREATE TABLE IF NOT EXISTS customers(subject TEXT PRIMARY KEY, user TEXT, sequence INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS grants(
  subject TEXT, order_id TEXT, user TEXT, product TEXT, until TEXT, PRIMARY KEY (subject, order_id));
CREATE TABLE IF NOT EXISTS feed(id INTEGER PRIMARY KEY CHECK (id = 1), cursor TEXT);`

export function open(path) {
  const database = new DatabaseSync(path)
  database.exec(SCHEMA)
  return database
}

// Runs an action in one transaction. The action has no await, so no other request writes meanwhile.
export function transaction(database, action) {
  database.exec('BEGIN IMMEDIATE')
  try {
    action()
    database.exec('COMMIT')
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
}

// Replaces the grants of a customer, unless a newer event of the customer was applied before.
export function apply(database, { data }) {
  const { subject, sequence, app_account_token: user } = data
  const { changes } = database.prepare(
    'INSERT INTO customers VALUES (?, ?, ?) ON CONFLICT(subject) DO UPDATE SET user = excluded.user, ' +
    'sequence = excluded.sequence WHERE excluded.sequence > customers.sequence').run(subject, user, sequence)
  if (changes === 0) return
  database.prepare('DELETE FROM grants WHERE subject = ?').run(subject)
  const grant = database.prepare('INSERT INTO grants VALUES (?, ?, ?, ?, ?)')
  for (const item of data.customer.entitlements.filter((item) => !item.revocation_date)) {
    const until = item.grace_until ?? item.expires_at ?? null
    grant.run(subject, item.order_id, item.app_account_token ?? null, item.product_id, until)
  }
}

// The next events of the feed. An empty page arrives after `wait` seconds.
async function page(store, cursor, wait) {
  const query = new URLSearchParams({ types: 'entitlement.changed,customer.removed', wait })
  if (cursor) query.set('after', cursor)
  const options = { headers: { authorization: `Bearer ${process.env.ONSIDE_API_KEY}` } }
  options.signal = AbortSignal.timeout((wait + 30) * 1000)
  const answer = await fetch(`${store}/merchant-api/v1/events?${query}`, options)
  if (answer.ok) return answer.json()
  throw Object.assign(new Error(`the feed cannot be read: ${answer.status}`), { status: answer.status })
}

async function main(store, path, once) {
  const database = open(path)
  for (;;) {
    const cursor = database.prepare('SELECT cursor FROM feed').get()?.cursor
    try {
      const found = await page(store, cursor, once ? 0 : 30)
      // Customers that do not come again have to be checked: GET /merchant-api/v1/customers/{subject}
      if (found.starts_over) console.error('the store has lost events; all customers of the store come again')
      transaction(database, () => { // the grants and the cursor after them
        for (const event of found.events) apply(database, event)
        database.prepare('INSERT OR REPLACE INTO feed VALUES (1, ?)').run(found.cursor)
      })
      if (once && found.cursor === (cursor ?? null)) return
    } catch (error) {
      if (once || [400, 401, 403].includes(error.status) || error.code === 'ERR_SQLITE_ERROR') throw error
      await sleep(5000)
    }
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href)
  await main(process.argv[2], process.argv[3], process.argv.includes('--once'))

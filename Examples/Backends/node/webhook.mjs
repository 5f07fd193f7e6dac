#!/usr/bin/env node
// Receives the store's webhooks and writes entitlements to SQLite, as feed.mjs does. It needs Node 22.13 or later.
//   ONSIDE_WEBHOOK_SECRET=whsec_... ./webhook.mjs 8000 grants.sqlite     several secrets with spaces: during a rotation
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { apply, open, transaction } from './feed.mjs'

const TOLERANCE = 5 * 60 // seconds
const LARGEST = 1 << 20 // bytes of a body
const [port, path] = process.argv.slice(2)
const secrets = process.env.ONSIDE_WEBHOOK_SECRET.split(' ')
const database = open(path)

// Whether one of the secrets has signed these bytes, at most five minutes ago (Standard Webhooks).
function isGenuine(headers, body, now) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures = '' } = headers
  if (!/^\d{1,11}$/.test(timestamp) || Math.abs(now - Number(timestamp)) > TOLERANCE) return false
  const given = signatures.split(' ').map((text) => Buffer.from(text))
  return secrets.some((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    const digest = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')
    const expected = Buffer.from(`v1,${digest}`)
    return given.some((one) => one.length === expected.length && timingSafeEqual(one, expected))
  })
}

// The bytes of the body as they were signed; parsed JSON, written again, has others. Null for a body that is too large.
async function read(request) {
  const parts = []
  let size = 0
  for await (const part of request) {
    size += part.length
    if (size > LARGEST) return null
    parts.push(part)
  }
  return Buffer.concat(parts)
}

async function status(request) {
  if (request.method !== 'POST') return 405
  const body = await read(request)
  if (body === null) return 413
  if (!isGenuine(request.headers, body, Date.now() / 1000)) return 401
  const event = JSON.parse(body)
  if (['entitlement.changed', 'customer.removed'].includes(event.type)) { // other types need nothing but an answer
    transaction(database, () => apply(database, event))
  }
  return 204 // after the commit; without this answer the store sends the event again
}

const server = createServer((request, response) => {
  status(request).catch((error) => {
    console.error(error)
    return 500
  }).then((status) => response.writeHead(status, { connection: 'close' }).end())
})
server.listen(Number(port), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/`))

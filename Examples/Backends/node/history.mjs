#!/usr/bin/env node
// Verifies a history or a list of entitlements that an app has sent (JWS, ES256). It needs Node 18 or later alone.
//   ./history.mjs https://store.example io.example.lumen <document     prints the payload, or exits with 1
import { createPublicKey, verify as verifySignature } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

export const LIST = 'onside-entitlements+jwt' // typ of a list of entitlements; a history has none
const LIFETIME = 300_000 // milliseconds of the cached keys
const PAUSE = 30_000 // milliseconds between two requests for unknown keys

const decode = (text) => JSON.parse(Buffer.from(text, 'base64url'))

// The store's keys, fetched once, and again for an unknown key.
export class Keys {
  #address
  #known = new Map()
  #fetched = -Infinity

  constructor(store) {
    this.#address = `${store}/.well-known/jwks.json`
  }

  async key(id) {
    if (performance.now() - this.#fetched >= (this.#known.has(id) ? LIFETIME : PAUSE)) {
      const answer = await fetch(this.#address, { signal: AbortSignal.timeout(10_000) })
      if (!answer.ok) throw new Error(`the store's keys cannot be read: ${answer.status}`)
      const { keys } = await answer.json()
      const found = keys.filter((key) => key.kty === 'EC' && key.crv === 'P-256')
      this.#known = new Map(found.map((key) => [key.kid, createPublicKey({ key, format: 'jwk' })]))
      this.#fetched = performance.now()
    }
    return this.#known.get(id)
  }
}

// The payload of a document; an error for a document that is not genuine, or of another app.
export async function verify(document, keys, app, type, environment = 'PRODUCTION') {
  const parts = document.trim().split('.')
  const [header, payload, signature] = parts
  const { alg, typ, kid, crit } = decode(header)
  if (parts.length !== 3 || alg !== 'ES256' || typ !== type || crit !== undefined) {
    throw new Error(`expected ES256 and the type ${type}, got ${alg} and ${typ}`)
  }
  const key = await keys.key(kid)
  if (!key) throw new Error(`the store has no key ${kid}`)
  const bytes = Buffer.from(signature, 'base64url')
  if (!verifySignature('sha256', Buffer.from(`${header}.${payload}`), { key, dsaEncoding: 'ieee-p1363' }, bytes)) {
    throw new Error('the signature is wrong')
  }
  const found = decode(payload)
  for (const item of type === LIST ? [found] : found.transactions) {
    if (item.bundle_id !== app || item.environment !== environment) {
      throw new Error(`expected ${app} in ${environment}, got ${item.bundle_id} in ${item.environment}`)
    }
  }
  if (type === LIST && !(Date.parse(found.valid_until) > Date.now())) {
    throw new Error(`the list was valid until ${found.valid_until}`)
  }
  return found
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [store, app, environment] = process.argv.slice(2)
  try {
    const text = readFileSync(0, 'utf8')
    const type = decode(text.split('.')[0]).typ === undefined ? undefined : LIST
    console.log(JSON.stringify(await verify(text, new Keys(store), app, type, environment)))
  } catch (error) {
    console.error(`not genuine: ${error.message}`)
    process.exit(1)
  }
}

/** The places in which a server keeps its store, each new and gone with the scope. */
import { randomBytes } from "node:crypto"
import * as Effect from "effect/Effect"
import { Client } from "pg"

/** A database of the server of the test run, which is dropped with the scope. */
const database = (server: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const name = `server_${randomBytes(8).toString("hex")}`
      const address = new URL(server)
      const client = new Client({ connectionString: address.href })
      await client.connect()
      await client.query(`create database ${name}`)
      await client.end()
      return { address: address.href, name, store: Object.assign(new URL(address), { pathname: `/${name}` }).href }
    }),
    ({ address, name }) =>
      Effect.promise(async () => {
        const client = new Client({ connectionString: address })
        await client.connect()
        await client.query(`drop database ${name} with (force)`)
        await client.end()
      })
  )

/** New places for stores, by their names: `undefined` is a file of the test, and the other a database of a server. */
export const all = (server = "") =>
  Object.entries({
    SQLite: Effect.succeed(undefined),
    Postgres: Effect.map(database(server), ({ store }): string | undefined => store)
  })

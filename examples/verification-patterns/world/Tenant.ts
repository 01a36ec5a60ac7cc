/** Records that one service keeps for one of its customers, by kind and name, in a SQLite database of its own. */
import type { DatabaseSync } from "node:sqlite"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"

/** A record, with its name. */
export interface Named {
  readonly id: string
  readonly body: JsonObject
}

/** Creates the tables. */
export const migrate = (database: DatabaseSync): void =>
  database.exec(`create table if not exists records (
    seq integer primary key autoincrement, service text not null, tenant text not null, kind text not null,
    id text not null, body text not null, unique (service, tenant, kind, id)
  ) strict`)

/**
 * The records of a customer. The record `settings/main` holds the settings that the administrators of a service
 * choose for the customer.
 */
export class Tenant {
  readonly #database: DatabaseSync
  readonly #service: string
  readonly #tenant: string

  constructor(database: DatabaseSync, service: string, tenant: string) {
    this.#database = database
    this.#service = service
    this.#tenant = tenant
  }

  get(kind: string, id: string): JsonObject | undefined {
    const row = this.#database
      .prepare("select body from records where service = ? and tenant = ? and kind = ? and id = ?")
      .get(this.#service, this.#tenant, kind, id)
    return row === undefined ? undefined : JSON.parse(String(row["body"]))
  }

  put(kind: string, id: string, body: JsonObject): JsonObject {
    this.#database
      .prepare(`insert into records (service, tenant, kind, id, body) values (?, ?, ?, ?, ?)
        on conflict do update set body = excluded.body`)
      .run(this.#service, this.#tenant, kind, id, JSON.stringify(body))
    return body
  }

  patch(kind: string, id: string, changes: JsonObject): JsonObject {
    return this.put(kind, id, { ...this.get(kind, id), ...changes })
  }

  remove(kind: string, id: string): void {
    this.#database
      .prepare("delete from records where service = ? and tenant = ? and kind = ? and id = ?")
      .run(this.#service, this.#tenant, kind, id)
  }

  /** The records of a kind, the oldest first. */
  all(kind: string): ReadonlyArray<Named> {
    return this.#database
      .prepare("select id, body from records where service = ? and tenant = ? and kind = ? order by seq")
      .all(this.#service, this.#tenant, kind)
      .map((row) => ({ id: String(row["id"]), body: JSON.parse(String(row["body"])) as JsonObject }))
  }

  /** Adds a record under a name of its own. */
  add(kind: string, body: JsonObject): string {
    const row = this.#database.prepare("select count(*) as count from records").get()
    const id = `${kind}-${Number(row?.["count"]) + 1}`
    this.put(kind, id, { ...body, id })
    return id
  }

  setting(name: string): Json | undefined {
    return this.get("settings", "main")?.[name]
  }

  /** Uses up one of the number of times that an event may happen. */
  takes(name: string): boolean {
    const left = Number(this.setting(name) ?? 0)
    if (left > 0) this.patch("settings", "main", { [name]: left - 1 })
    return left > 0
  }
}

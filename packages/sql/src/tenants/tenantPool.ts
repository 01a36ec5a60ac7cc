/**
 * A bounded number of connections for any number of tenants. Each connection names one tenant at a time.
 *
 * A tenant is given the connection that it had last. If it has none, one is opened. Once there are as many as are
 * permitted, the free connection that was given back first is made to name the tenant, which takes a statement. If all
 * are taken, the tenants that wait are served in turn, so that one with many statements delays another by one. No
 * tenant has more than its share.
 */
import type { Tenant } from "@backstitch/trace/Run"
import type { Client } from "pg"
import { type Connections, countIn } from "../postgres/connectionPool.ts"

/** Settings of a pool. */
export interface Settings {
  /** Makes a client that names a tenant, and is not connected yet. */
  readonly client: (tenant: Tenant) => Client
  readonly role: string
  readonly connectionsMax: number
  /** Connections that one tenant has at the same time. */
  readonly shareMax: number
  /** The time after which a connection that nobody takes is closed; at most twice as long. */
  readonly idleMillis: number
}

/** A connection that is open, or about to be. */
interface Opened {
  readonly client: Client
  /** The tenant that it names; `undefined` while that is not certain. */
  tenant: Tenant | undefined
  /** Nobody has taken it since the last look for idle ones. */
  isStale: boolean
  broken: Error | undefined
}

interface Waiter {
  readonly resolve: (client: Client | Promise<Client>) => void
  readonly reject: (error: Error) => void
}

/** The role as well, so that what the statements of one tenant have set decides nothing for the next one. */
const naming = {
  name: "name-tenant",
  text: "select set_config('role', $1, false), set_config('backstitch.tenant', $2, false)"
}

const closed = (): Error => new Error("the store was closed")

/** The connections. None is open at first. */
export class TenantPool {
  private readonly settings: Settings
  private readonly opened = new Map<Client, Opened>()
  /** Those that nobody has taken. The one that was given back first is the first. */
  private readonly idle: Array<Opened> = []
  /** Connections of each tenant that has any. */
  private readonly shares = new Map<Tenant, number>()
  /** By tenant, the one that had its turn longest ago first. */
  private readonly waiting = new Map<Tenant, Array<Waiter>>()
  private sweep: NodeJS.Timeout | undefined
  private emptied: (() => void) | undefined

  constructor(settings: Settings) {
    this.settings = settings
  }

  /** The connections as one tenant takes them. */
  of(tenant: Tenant): Connections<Client> {
    return {
      take: () => this.tryTake(tenant) ?? this.turnOf(tenant),
      give: (client, error) => this.give(tenant, this.opened.get(client)!, error)
    }
  }

  /** Waits for clients that are taken. */
  close(): Promise<void> {
    const emptied = new Promise<void>((resolve) => {
      this.emptied = resolve
    })
    clearTimeout(this.sweep)
    for (const waiter of [...this.waiting.values()].flat()) waiter.reject(closed())
    this.waiting.clear()
    for (const each of this.idle.splice(0)) this.discard(each)
    if (this.opened.size === 0) this.emptied?.()
    return emptied
  }

  /** Takes a connection for a tenant; `undefined` if none is free, or the tenant has its share. */
  private tryTake(tenant: Tenant): Client | Promise<Client> | undefined {
    const { connectionsMax, shareMax } = this.settings
    if (this.emptied !== undefined || (this.shares.get(tenant) ?? 0) >= shareMax) return undefined
    const own = this.idle.findLastIndex((each) => each.tenant === tenant)
    if (own >= 0) return this.takeIdle(own, tenant).client
    if (this.opened.size < connectionsMax) return this.open(tenant)
    return this.idle.length === 0 ? undefined : this.rename(this.takeIdle(0, tenant), tenant)
  }

  private turnOf(tenant: Tenant): Promise<Client> {
    return new Promise((resolve, reject) => {
      if (this.emptied !== undefined) return reject(closed())
      const queue = this.waiting.get(tenant) ?? []
      queue.push({ resolve, reject })
      this.waiting.set(tenant, queue)
    })
  }

  private takeIdle(place: number, tenant: Tenant): Opened {
    const taken = this.idle[place]!
    this.idle.splice(place, 1)
    this.count(tenant, 1)
    countIn(taken.client).ref()
    return taken
  }

  private async open(tenant: Tenant): Promise<Client> {
    const client = this.settings.client(tenant)
    const opened: Opened = { client, tenant, isStale: false, broken: undefined }
    this.opened.set(client, opened)
    this.count(tenant, 1)
    // Without a listener, an error between two statements would end the process.
    client.on("error", (error) => this.broke(opened, error))
    return this.ready(opened, tenant, client.connect())
  }

  private rename(taken: Opened, tenant: Tenant): Promise<Client> {
    taken.tenant = undefined
    const named = taken.client.query({ ...naming, values: [this.settings.role, tenant] })
    return this.ready(taken, tenant, named)
  }

  private async ready(taken: Opened, tenant: Tenant, work: Promise<unknown>): Promise<Client> {
    try {
      await work
      taken.tenant = tenant
      return taken.client
    } catch (cause) {
      this.count(tenant, -1)
      this.discard(taken)
      throw cause
    }
  }

  private give(tenant: Tenant, taken: Opened, given: Error | undefined): void {
    this.count(tenant, -1)
    if (taken.broken !== undefined || given !== undefined || this.emptied !== undefined) {
      this.discard(taken)
      return
    }
    taken.isStale = false
    this.idle.push(taken)
    // An idle connection does not keep the process alive.
    countIn(taken.client).unref()
    this.sweep ??= setTimeout(() => this.closeStale(), this.settings.idleMillis).unref()
    this.serve()
  }

  private broke(opened: Opened, error: Error): void {
    opened.broken = error
    const place = this.idle.indexOf(opened)
    if (place < 0) return
    this.idle.splice(place, 1)
    this.discard(opened)
  }

  /** Its place is free at once; the server ends its own part a moment later. */
  private discard(opened: Opened): void {
    this.opened.delete(opened.client)
    opened.client.end().catch(() => undefined)
    this.serve()
    if (this.opened.size === 0) this.emptied?.()
  }

  /** Gives what is free to those who wait, one tenant after the other. */
  private serve(): void {
    for (const tenant of [...this.waiting.keys()]) {
      const queue = this.waiting.get(tenant)!
      const client = this.tryTake(tenant)
      if (client === undefined) continue
      queue.shift()!.resolve(client)
      this.waiting.delete(tenant)
      if (queue.length > 0) this.waiting.set(tenant, queue)
    }
  }

  private closeStale(): void {
    this.sweep = undefined
    const stale = this.idle.filter(({ isStale }) => isStale)
    for (const each of this.idle) each.isStale = true
    for (const each of stale) this.broke(each, new Error("nobody has taken it for a while"))
    if (this.idle.length > 0) this.sweep = setTimeout(() => this.closeStale(), this.settings.idleMillis).unref()
  }

  private count(tenant: Tenant, by: 1 | -1): void {
    const share = (this.shares.get(tenant) ?? 0) + by
    if (share === 0) this.shares.delete(tenant)
    else this.shares.set(tenant, share)
  }
}

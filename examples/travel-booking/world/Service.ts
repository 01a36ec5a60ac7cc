/** The world without HTTP: a request goes in, and the delivery of its answer comes out at once. */
import { Audit } from "./Audit.ts"
import * as Command from "./Command.ts"
import { Database } from "./Database.ts"
import * as Delivery from "./Delivery.ts"
import { DomainError, malformed, notFound } from "./DomainError.ts"
import * as Faults from "./Faults.ts"
import { Mutations } from "./Mutations.ts"
import { Reads } from "./Reads.ts"
import * as Records from "./Records.ts"
import * as Router from "./Router.ts"
import * as Tool from "./Tool.ts"

/** A request as it came in. */
export interface Incoming {
  readonly method: string
  readonly url: string
  readonly tenant: string | undefined
  readonly key: string | undefined
  readonly fault: string | undefined
  readonly body: string
}

/** The parts of a world. */
export interface ServiceOptions {
  readonly filename: string
  readonly settleAfterMillis: number
  readonly keyRetentionMillis: number
  readonly capacity: number | undefined
  readonly now: () => number
}

/** The world behind its HTTP server. */
export class Service {
  readonly #database: Database
  readonly #faults = new Faults.Faults()
  readonly #records: Records.Records
  readonly #mutations: Mutations
  readonly #reads: Reads
  readonly #audit: Audit
  readonly #now: () => number

  constructor(options: ServiceOptions) {
    const { now, settleAfterMillis } = options
    this.#now = now
    this.#database = new Database(options.filename, Records.schema)
    const records = Records.open(this.#database, options)
    this.#records = records
    this.#mutations = new Mutations({ database: this.#database, records, now, settleAfterMillis })
    this.#reads = new Reads({ records, now, replicaLagMillis: settleAfterMillis })
    this.#audit = new Audit(this.#database)
  }

  /** Handles a request; never throws. */
  handle(request: Incoming): Delivery.Delivery {
    try {
      return this.#route(request)
    } catch (error) {
      if (error instanceof DomainError) return Delivery.refusal(error)
      const message = `The world failed and committed nothing: ${error instanceof Error ? error.message : "unknown"}`
      return Delivery.refusal(new DomainError({ status: 500, code: "internal", message }))
    }
  }

  /** Drops the commits under way and closes the database. */
  close(): void {
    this.#mutations.close()
    this.#database.close()
  }

  #route(request: Incoming): Delivery.Delivery {
    const [path = "", search = ""] = split(request.url)
    const route = Router.match(request.method, path)
    if (route === undefined) {
      throw notFound("no_such_endpoint", `No endpoint ${request.method} ${path}; world/README.md lists them`)
    }
    const query = new URLSearchParams(search)
    return route.to === "page" ? this.#page(route.page, query, request.body) : this.#tool(route, query, request)
  }

  #tool(route: { readonly tool: Tool.Tool; readonly id: string }, query: URLSearchParams, request: Incoming) {
    const { id, tool } = route
    const tenant = tenantOf(request)
    if (!Tool.isMutation(tool)) {
      const fault = this.#fault(tool, tenant, request)
      return this.#reads.execute({ tenant, tool, id, query }, fault)
    }
    const key = keyOf(request)
    const command = this.#parse(tool, id, { tenant, key, body: request.body })
    const fault = this.#fault(tool, tenant, request)
    return this.#mutations.execute({ tenant, key, command }, fault)
  }

  /** Reads the command. A body that cannot be read is logged, and uses up no fault. */
  #parse(
    tool: Tool.Mutation,
    id: string,
    request: { readonly tenant: string; readonly key: string | null; readonly body: string }
  ): Command.Command {
    try {
      return Command.parse(tool, id, request.body)
    } catch (error) {
      if (error instanceof DomainError) {
        const { key, tenant } = request
        const end = { fault: null, outcome: "refused", code: error.code, committed: false } as const
        this.#records.log.add({ at: this.#now(), tenant, tool, key, ...end })
      }
      throw error
    }
  }

  #fault(tool: Tool.Tool, tenant: string, request: Incoming): Faults.Fault | undefined {
    if (request.fault !== undefined) return Faults.fromHeader(tool, request.fault)
    return this.#faults.take(tool, tenant)
  }

  #page(page: Router.Page, query: URLSearchParams, body: string): Delivery.Delivery {
    switch (page) {
      case "health":
        return Delivery.json(200, { status: "ok" })
      case "audit":
        return Delivery.json(200, this.#audit.read(query))
      case "list_faults":
        return Delivery.json(200, { armed: this.#faults.list() })
      case "arm_fault":
        return Delivery.json(201, this.#faults.arm(body))
      case "clear_faults":
        return Delivery.json(200, { cleared: this.#faults.clear() })
    }
  }
}

const split = (url: string): ReadonlyArray<string> => {
  const mark = url.indexOf("?")
  return mark === -1 ? [url] : [url.slice(0, mark), url.slice(mark + 1)]
}

const tenantOf = ({ tenant }: Incoming): string => {
  if (tenant === undefined) return "default"
  if (!/^[\w.-]{1,64}$/.test(tenant)) throw malformed("Tenant must be 1 to 64 letters, digits or . _ -")
  return tenant
}

const keyOf = ({ key }: Incoming): string | null => {
  if (key === undefined) return null
  if (key.length === 0 || key.length > 255) throw malformed("Idempotency-Key must be 1 to 255 characters")
  return key
}

/**
 * The limits on the weight of each package: installed, imported and bundled. A package that needs more is changed
 * here.
 */

/** Marks of a package. */
export interface Budget {
  /** Megabytes that it installs, of 1,000,000 bytes, with all its dependencies except peers. */
  readonly install: number
  /** Processor time of its import ÷ that of `effect`. */
  readonly load: number
  /** Kilobytes in a browser after gzip, for all of it, without `effect`; absent for packages that need Node. */
  readonly bundle?: number
}

/** Budgets by the names of packages. */
export const packages: Readonly<Record<string, Budget>> = {
  absorber: { install: 6.4, load: 1.1, bundle: 5 },
  admissibility: { install: 6.4, load: 1.1, bundle: 6 },
  // Beside the AI SDK and our sdk, which are peers and are loaded: 0.14 MB, and 1.25 of effect.
  "ai-sdk": { install: 0.2, load: 1.5 },
  api: { install: 16.2, load: 2.1, bundle: 45 },
  // Brings an HTTP server, sockets and a client of Postgres from the makers of effect: 21.9 MB, and 2.5 of effect.
  cluster: { install: 24, load: 2.8 },
  conformance: { install: 21.5, load: 2.3 },
  contracts: { install: 6.4, load: 1.2, bundle: 166 },
  expressions: { install: 2.2, load: 0.9, bundle: 46 },
  functions: { install: 2.4, load: 0.9, bundle: 54 },
  // Loads the YAML of packs, which its agents are from.
  host: { install: 15.8, load: 2.1 },
  importers: { install: 16, load: 2 },
  kernel: { install: 11.8, load: 1.5, bundle: 215 },
  // Brings our sdk, 3.2 of its 3.4 MB, and loads the framework that it adapts, which is a peer: 2.4 to 2.7 of effect.
  langgraph: { install: 3.7, load: 3.2 },
  // Reads in the words of an answer whether it tells of a success, for acts that were done twice.
  ledger: { install: 7.4, load: 1.2, bundle: 38 },
  mcp: { install: 16.2, load: 2 },
  // Brings the runtime, the imports and the stores, 17.4 MB, and loads them with an HTTP server: 2.5 of effect.
  opentelemetry: { install: 19.1, load: 2.9 },
  patterns: { install: 6.4, load: 0.9, bundle: 5 },
  reconciliation: { install: 7.6, load: 1.3, bundle: 40 },
  reducer: { install: 6.6, load: 1.2, bundle: 100 },
  release: { install: 17.4, load: 2 },
  // Topologies of agents, callers and revisions stand in it; its import has the mark that it had before.
  runtime: { install: 15.6, load: 1.3 },
  // Carries what it uses of effect and of our packages, so its import is all that an app loads.
  sdk: { install: 3.5, load: 0.85 },
  sql: { install: 4.4, load: 1.4 },
  // Reads doubled acts from the histories of the ledger, 11 kB.
  topology: { install: 8.8, load: 1.3, bundle: 39 },
  trace: { install: 1.6, load: 0.95, bundle: 29 },
  transparency: { install: 3.4, load: 1, bundle: 23 },
  "version-control": { install: 7.6, load: 1.3, bundle: 125 },
  // Holds the sentences of proofs, releases, histories, stores, revisions, topologies and approvals, too.
  wording: { install: 12.6, load: 1.45, bundle: 50 }
}

/** Code of a page that works with traces, and its limit in kilobytes after gzip, without `effect`. */
export interface Page {
  readonly lines: string
  readonly kilobytes: number
}

/** Pages by their titles. */
export const pages: Readonly<Record<string, Page>> = {
  "a page that seals and verifies a hash chain": {
    lines: 'export { HashChain, Run } from "@backstitch/trace"',
    kilobytes: 6
  },
  "a page that reads a trace and verifies its hash chain": {
    lines: `import { HashChain, Run, TransitionCheck } from "@backstitch/trace"
      export const read = (run, sealed) => ({
        head: HashChain.verify(HashChain.genesis(Run.make(run)), sealed),
        transitions: sealed.map((each) => TransitionCheck.openUntrusted(each))
      })`,
    kilobytes: 10
  },
  "a page with a store in memory": {
    lines: 'export { HashChain, Run, TraceStore, TransitionCheck } from "@backstitch/trace"',
    kilobytes: 16
  }
}

/**
 * The text of the repository, in the form for the rules of tidiness.
 *
 * Rules take a repository and answer findings, so a test can pass three lines of code that break a rule. Sources are
 * parsed once, when a rule first needs their syntax.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { type Comment, parseSync } from "oxc-parser"

/** A finding of a rule: its place, the rule, and what to do. */
export interface Finding {
  readonly file: string
  readonly line: number
  readonly rule: string
  readonly advice: string
}

/** A rule: a function from a repository to its violations. */
export type Rule = (repository: Repository) => Iterable<Finding>

/** A node of a syntax tree, with the offsets of its text. */
export interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

/** The syntax of a source: statements, comments, and the lines of offsets. */
export interface Syntax {
  readonly body: ReadonlyArray<SyntaxNode>
  readonly comments: ReadonlyArray<Comment>
}

/** A file with its path from the root of the repository, written with slashes. */
export class SourceFile {
  readonly path: string
  readonly text: string
  #syntax: Syntax | undefined
  #lineStarts: ReadonlyArray<number> | undefined

  constructor(path: string, text: string) {
    this.path = path
    this.text = text
  }

  get name(): string {
    return Path.posix.basename(this.path)
  }

  get lines(): ReadonlyArray<string> {
    return this.text.split("\n")
  }

  get isCode(): boolean {
    return /\.tsx?$/.test(this.path)
  }

  get isTest(): boolean {
    return this.path.includes("/test/")
  }

  /** Folder of the package that the file is in, such as `packages/trace`. */
  get home(): string | undefined {
    return /^(packages\/adapters\/[^/]+|(?:packages|apps|examples)\/[^/]+|benchmarks|tooling)\//.exec(this.path)?.[1]
  }

  /** Tells whether the file is a module of a published package and no table of contents. */
  get isModule(): boolean {
    return (
      this.isCode &&
      this.home?.startsWith("packages/") === true &&
      this.path.startsWith(`${this.home}/src/`) &&
      this.name !== "index.ts"
    )
  }

  /** Tells whether no other package may import the file: a name in camelCase marks private modules. */
  get isInternal(): boolean {
    return this.path.includes("/src/internal/") || /^[a-z]/.test(this.name)
  }

  get syntax(): Syntax {
    if (this.#syntax === undefined) {
      const { comments, errors, program } = parseSync(this.path, this.text)
      if (errors.length > 0) throw new Error(`${this.path} cannot be parsed: ${errors[0]?.message}`)
      this.#syntax = { body: program.body as ReadonlyArray<object> as ReadonlyArray<SyntaxNode>, comments }
    }
    return this.#syntax
  }

  lineAt(offset: number): number {
    this.#lineStarts ??= [...this.text.matchAll(/^/gm)].map((match) => match.index)
    let low = 0
    let high = this.#lineStarts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (this.#lineStarts[middle]! <= offset) low = middle
      else high = middle
    }
    return low + 1
  }

  find(rule: string, line: number, advice: string): Finding {
    return { file: this.path, line, rule, advice }
  }
}

/** Files by path. */
export class Repository {
  readonly files: ReadonlyMap<string, SourceFile>

  constructor(texts: Iterable<readonly [string, string]>) {
    this.files = new Map(Array.from(texts, ([path, text]) => [path, new SourceFile(path, text)]))
  }

  get code(): ReadonlyArray<SourceFile> {
    return [...this.files.values()].filter((file) => file.isCode)
  }

  /** Folders with a package.json, except the root. */
  get homes(): ReadonlyArray<string> {
    return [...this.files.keys()].flatMap((path) => /^(.+)\/package\.json$/.exec(path)?.[1] ?? []).sort()
  }

  manifest(home: string): Manifest {
    return JSON.parse(this.files.get(`${home}/package.json`)?.text ?? "{}") as Manifest
  }
}

/** The fields of a package.json that the rules read. */
export interface Manifest {
  readonly name?: string
  readonly private?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly exports?: Readonly<Record<string, unknown>>
  readonly imports?: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly publishConfig?: { readonly exports?: Readonly<Record<string, unknown>> }
}

/** The folder of this repository. */
export const root = new URL("../..", import.meta.url).pathname

/** Reads the repository in a folder: texts, without installed, built or lock files. */
export const read = (root: string): Repository => new Repository(walk(root, ""))

/** Visits a node and everything below it, parents first. */
export const visit = (node: unknown, on: (node: SyntaxNode) => void): void => {
  if (Array.isArray(node)) for (const each of node) visit(each, on)
  if (typeof node !== "object" || node === null || !("type" in node)) return
  on(node as SyntaxNode)
  for (const field of Object.values(node)) if (typeof field === "object") visit(field, on)
}

const skipped = new Set(["node_modules", "dist", "coverage", "__pycache__", "pnpm-lock.yaml", "LICENSE"])
const dotted = new Set([".changeset", ".ci", ".github", ".gitignore"])
const texts = /(\.(tsx?|m?js|json|jsonl|md|ya?ml|py|sh|html|css|sql|txt)|^run|^\.gitignore)$/
const images = /\.png$/
const bytesMax = 500_000

function* walk(root: string, folder: string): Generator<readonly [string, string], undefined> {
  for (const entry of Fs.readdirSync(Path.join(root, folder), { withFileTypes: true })) {
    if (skipped.has(entry.name) || (entry.name.startsWith(".") && !dotted.has(entry.name))) continue
    const path = Path.posix.join(folder, entry.name)
    if (entry.isDirectory()) yield* walk(root, path)
    // An image is there for links, and has no text.
    else if (images.test(entry.name)) yield [path, ""]
    else if (entry.isFile() && texts.test(entry.name) && Fs.statSync(Path.join(root, path)).size < bytesMax) {
      yield [path, Fs.readFileSync(Path.join(root, path), "utf8")]
    }
  }
  return undefined
}

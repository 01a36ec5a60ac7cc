/**
 * Reads a definition value by value, and collects every mistake in it: a key that is unknown or misspelt, with the one
 * that was meant; a value of another type; a value that is missing.
 */

import * as Expression from "@backstitch/expressions/Expression"
import * as Field from "@backstitch/expressions/Field"
import * as NearestName from "@backstitch/expressions/NearestName"
import { defined } from "@backstitch/trace/Defined"
import * as Result from "effect/Result"
import * as Duration from "../time/Duration.ts"
import type { Issue } from "./Issue.ts"

/** A path into a definition. */
export type Path = ReadonlyArray<string | number>

/** Finds the place of a path in a file: of its value, of an offset in its text, or of its key. */
export type Locate = (
  path: Path,
  at?: { readonly offset?: number; readonly key?: boolean }
) => {
  readonly line: number
  readonly column: number
}

/** The value found, and the value expected instead. */
interface Note {
  readonly found: string
  readonly expected: string
  readonly hint?: string | undefined
  readonly offset?: number
  readonly key?: boolean
}

/** Collects the mistakes in one file. */
export class DefinitionReader {
  readonly errors: Array<Issue> = []
  readonly warnings: Array<Issue> = []
  /** Fields that expressions read, each with the first place of use. */
  readonly read = new Map<string, Path>()
  readonly file: string
  /** `true` if the definition is stored with a trace: whatever was accepted then is accepted for ever. */
  readonly isStored: boolean
  /** Tells whether a function that may not run in a fold is kept and named, not refused. */
  readonly keeps: (source: string) => boolean
  readonly place: Locate
  /** The engine that expressions are compiled for. */
  readonly engine: string

  constructor(
    file: string,
    locate: Locate,
    options: {
      readonly isStored?: boolean
      readonly keeps?: (source: string) => boolean
      readonly engine?: string | undefined
    } = {}
  ) {
    this.file = file
    this.place = locate
    this.isStored = options.isStored === true
    this.keeps = options.keeps ?? (() => false)
    this.engine = options.engine ?? Expression.engine
  }

  issue(path: Path, note: Note): Issue {
    const at = {
      ...defined({ offset: note.offset, key: note.key })
    }
    return {
      file: this.file,
      ...this.place(path, at),
      path: formatPath(path),
      found: note.found,
      expected: note.expected,
      ...defined({ hint: note.hint })
    }
  }
}

/** Writes a path as `tools.book.undo.by` or `guards[0].on`. */
export const formatPath = (path: Path): string =>
  path
    .map((part, index) =>
      typeof part === "number"
        ? `[${part}]`
        : /^[\w$-]+$/.test(part)
          ? `${index === 0 ? "" : "."}${part}`
          : `[${JSON.stringify(part)}]`
    )
    .join("")

/** A value of the definition, with its path. */
export class Node {
  readonly reader: DefinitionReader
  readonly value: unknown
  readonly path: Path

  constructor(reader: DefinitionReader, value: unknown, path: Path) {
    this.reader = reader
    this.value = value
    this.path = path
  }

  /** Records an error in a new contract, and a warning in one that was accepted before this rule existed. */
  unfit(note: Note): void {
    const { errors, isStored, warnings } = this.reader
    ;(isStored ? warnings : errors).push(this.reader.issue(this.path, note))
  }

  /** Records an error at this node, and answers `undefined`. */
  fail(note: Note): undefined {
    this.reader.errors.push(this.reader.issue(this.path, note))
    return undefined
  }

  /** Records an error about the type of the value. */
  expected(expected: string, hint?: string): undefined {
    return this.fail({ found: Field.nameOf(this.value), expected, hint })
  }

  warn(note: Note): void {
    this.reader.warnings.push(this.reader.issue(this.path, note))
  }

  get isAbsent(): boolean {
    return this.value === undefined || this.value === null
  }

  at(key: string | number): Node {
    const container = this.value
    const value =
      typeof container === "object" && container !== null && Object.hasOwn(container, key)
        ? (container as Readonly<Record<string | number, unknown>>)[key]
        : undefined
    return new Node(this.reader, value, [...this.path, key])
  }

  isRecord(): boolean {
    return typeof this.value === "object" && this.value !== null && !Array.isArray(this.value)
  }

  /** Keys and values of a mapping; none if there is no mapping. */
  entries(): ReadonlyArray<readonly [string, Node]> {
    if (this.isAbsent) return []
    if (!this.isRecord()) {
      this.expected("a mapping of names to values")
      return []
    }
    return Object.keys(this.value as object).flatMap((key) => {
      if (key !== "__proto__") return [[key, this.at(key)] as const]
      this.at(key).fail({ found: "the name __proto__", expected: "another name", key: true })
      return []
    })
  }

  /** Items of a list; none if there is no list. */
  items(): ReadonlyArray<Node> {
    if (this.isAbsent) return []
    if (!Array.isArray(this.value)) {
      this.expected("a list")
      return []
    }
    return this.value.map((_, index) => this.at(index))
  }

  /** Tells whether the value is a mapping. Its unknown keys are refused, with the nearest known one as a hint. */
  hasKeysOf(known: ReadonlyArray<string>): boolean {
    if (!this.isRecord()) {
      this.expected(`a mapping with the keys ${known.join(", ")}`)
      return false
    }
    for (const key of Object.keys(this.value as object)) {
      if (known.includes(key)) continue
      const near = NearestName.nearest(key, known)
      this.at(key).fail({
        found: `the key ${key}`,
        expected: `one of ${known.join(", ")}`,
        hint: near === undefined ? undefined : `Did you mean ${near}?`,
        key: true
      })
    }
    return true
  }

  text(): string | undefined {
    if (typeof this.value === "string" && this.value.trim() !== "") return this.value
    return this.isAbsent ? undefined : this.expected("text that is not empty")
  }

  /** A required text. */
  required(what: string): string | undefined {
    if (!this.isAbsent) return this.text()
    return this.fail({ found: "nothing", expected: what })
  }

  flag(): boolean | undefined {
    if (typeof this.value === "boolean") return this.value
    return this.isAbsent ? undefined : this.expected("true or false")
  }

  count(limit = Number.MAX_SAFE_INTEGER): number | undefined {
    const { value } = this
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= limit) return value
    if (this.isAbsent) return undefined
    return this.expected(
      limit === Number.MAX_SAFE_INTEGER ? "a whole number, zero or more" : `a whole number from 0 to ${limit}`
    )
  }

  duration(): number | undefined {
    if (this.isAbsent) return undefined
    const read = typeof this.value === "string" ? Duration.parse(this.value) : undefined
    if (read !== undefined && Result.isSuccess(read)) return read.success
    return this.expected("a duration such as 500ms, 10s or 1h30m")
  }

  oneOf<const Words extends ReadonlyArray<string>>(words: Words): Words[number] | undefined {
    if (this.isAbsent) return undefined
    const found = words.find((word) => word === this.value)
    if (found !== undefined) return found
    const near = typeof this.value === "string" ? NearestName.nearest(this.value, words) : undefined
    return this.expected(`one of ${words.join(", ")}`, near === undefined ? undefined : `Did you mean ${near}?`)
  }

  /** A list of texts. A single text counts as a list with one item. */
  texts(): ReadonlyArray<string> {
    if (typeof this.value === "string") return this.value === "" ? [] : [this.value]
    return this.items().flatMap((item) => item.required("text") ?? [])
  }

  /** A name that has to be one of the declared names. */
  reference(known: ReadonlyArray<string>, what: string): string | undefined {
    const name = this.text()
    return name === undefined || known.includes(name) ? name : this.undeclared(name, known, what)
  }

  /** The key of this value, which has to be one of the declared names. */
  keyReference(known: ReadonlyArray<string>, what: string): string | undefined {
    const name = String(this.path.at(-1))
    return known.includes(name) ? name : this.undeclared(name, known, what, { key: true })
  }

  private undeclared(name: string, known: ReadonlyArray<string>, what: string, at?: { readonly key: true }): undefined {
    const near = NearestName.nearest(name, known)
    const list = known.length === 0 ? "the pack declares none" : `declared: ${known.join(", ")}`
    const hint = near === undefined ? undefined : `Did you mean ${near}?`
    return this.fail({ found: `${what} ${name}`, expected: `a ${what} that the pack declares (${list})`, hint, ...at })
  }

  references(known: ReadonlyArray<string>, what: string): ReadonlyArray<string> {
    if (typeof this.value === "string") return [this.reference(known, what)].filter((name) => name !== undefined)
    return this.items().flatMap((item) => item.reference(known, what) ?? [])
  }
}

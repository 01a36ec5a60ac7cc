import { suite } from "../../conformance/src/VaultSuite.ts"
import * as Vault from "../src/port/Vault.ts"

suite("memory", Vault.layerMemory)

import type { Catalogue } from "../messages.ts";
import type { en } from "./en.ts";

export const es: Catalogue<typeof en> = {
  paused:
    "Me he detenido: los últimos {{count}} intentos con esta incidencia fallaron. El último fallo fue: {{error}}. Alguien con acceso a Relay puede mirar el registro y reanudarme.",
  budgetOfIssue:
    "Me he detenido: el presupuesto de esta incidencia se ha agotado. Alguien con acceso a Relay puede reanudarme.",
  budgetOfDay:
    "Me he detenido: el presupuesto de hoy para este repositorio se ha agotado. Seguiré por mi cuenta después de {{until}}.",
  budgetOfMonth:
    "Me he detenido: el presupuesto de este mes se ha agotado. Seguiré por mi cuenta después de {{until}}.",
  specWritten: "La especificación está lista: {{path}}",
  specUpdated: "La especificación se ha actualizado: {{path}}",
  draftedWithoutModel: "Redactado sin modelo, mediante reglas.",
};

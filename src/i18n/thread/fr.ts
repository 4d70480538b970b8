import type { Catalogue } from "../messages.ts";
import type { en } from "./en.ts";

export const fr: Catalogue<typeof en> = {
  paused:
    "Je me suis arrêté : les {{count}} dernières tentatives sur ce ticket ont échoué. La dernière erreur était : {{error}}. Une personne ayant accès à Relay peut consulter le journal et me relancer.",
  budgetOfIssue:
    "Je me suis arrêté : le budget de ce ticket est épuisé. Une personne ayant accès à Relay peut me relancer.",
  budgetOfDay:
    "Je me suis arrêté : le budget du jour pour ce dépôt est épuisé. Je reprendrai de moi-même après {{until}}.",
  budgetOfMonth: "Je me suis arrêté : le budget de ce mois est épuisé. Je reprendrai de moi-même après {{until}}.",
  specWritten: "La spécification est prête : {{path}}",
  specUpdated: "La spécification a été mise à jour : {{path}}",
  draftedWithoutModel: "Rédigé sans modèle, par des règles.",
};

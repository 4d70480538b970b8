import type { Catalogue } from "../messages.ts";
import type { en } from "./en.ts";

export const fr: Catalogue<typeof en> = {
  question: "Pour continuer, j’ai besoin de savoir :",
  answer: "Une réponse ici permet au travail de reprendre là où il s’est arrêté.",
  opened: "La modification se trouve dans {{request}}.",
  no_progress: "Je n’ai pas terminé : deux essais de suite n’ont rien fait avancer.",
  limit_iterations: "Je n’ai pas terminé dans le nombre d’essais permis pour une tâche.",
  limit_minutes: "Je n’ai pas terminé dans le temps permis pour une tâche.",
  limit_money: "Je n’ai pas terminé avec le budget permis pour une tâche.",
  failing: "Ce qui échoue encore :",
  nothing_opened: "Aucune pull request n’a été ouverte. Une indication ici me permet de réessayer.",
  unusable:
    "L’agent ne peut pas travailler pour l’instant, donc rien n’a été modifié. La personne qui exploite Relay doit regarder ; ensuite la tâche peut être relancée.",
  failed:
    "Le travail sur cette tâche s’est interrompu et rien n’a été ouvert. La personne qui exploite Relay doit regarder ; ensuite la tâche peut être relancée.",
  setup: "Le dépôt n’a pas pu être préparé pour le travail :",
  network:
    "Il fallait joindre {{hosts}}, ce qui n’est pas permis ici. Qui exploite Relay peut le permettre dans `work.network`.",
  request_closed:
    "{{request}} a été fermée sans être fusionnée ; pour moi, c’est terminé. Assignez-moi de nouveau pour recommencer.",
  still_red: "Les vérifications de {{request}} échouent toujours, après deux essais. Une personne doit regarder.",
  said_elsewhere: "La modification est en revue ; merci de dire là-bas ce qui devrait être différent : {{request}}.",
  conflict:
    "{{request}} est en conflit avec {{base}}, et je n’ai pas réussi à les réunir. Fichiers modifiés des deux côtés :",
  conflict_left:
    "Rien n’a été poussé. Merci de fusionner {{base}} dans {{branch}} et de pousser la branche ; je reprendrai à partir de là. Tant que ces fichiers restent ainsi, je ne réessaie pas.",
};

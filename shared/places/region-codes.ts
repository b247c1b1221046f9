import { foldPlaceName } from './fold-place-name.ts';

/** Regions as GeoNames numbers them, under the names and letters that people write, several for one joined by `/`. */
const REGIONS: Record<string, string> = {
  US: `AL Alabama, AK Alaska, AZ Arizona, AR Arkansas, CA California, CO Colorado, CT Connecticut, DE Delaware,
    DC District of Columbia, FL Florida, GA Georgia, HI Hawaii, ID Idaho, IL Illinois, IN Indiana, IA Iowa, KS Kansas,
    KY Kentucky, LA Louisiana, ME Maine, MD Maryland, MA Massachusetts, MI Michigan, MN Minnesota, MS Mississippi,
    MO Missouri, MT Montana, NE Nebraska, NV Nevada, NH New Hampshire, NJ New Jersey, NM New Mexico, NY New York,
    NC North Carolina, ND North Dakota, OH Ohio, OK Oklahoma, OR Oregon, PA Pennsylvania, RI Rhode Island,
    SC South Carolina, SD South Dakota, TN Tennessee, TX Texas, UT Utah, VT Vermont, VA Virginia, WA Washington,
    WV West Virginia, WI Wisconsin, WY Wyoming, PR Puerto Rico, VI Virgin Islands, GU Guam`,
  CA: `01 Alberta/AB, 02 British Columbia/BC, 03 Manitoba/MB, 04 New Brunswick/NB, 05 Newfoundland and Labrador/Newfoundland/NL,
    07 Nova Scotia/NS, 08 Ontario/ON, 09 Prince Edward Island/PE/PEI, 10 Quebec/QC, 11 Saskatchewan/SK, 12 Yukon/YT,
    13 Northwest Territories/NT, 14 Nunavut/NU`,
  AU: `01 Australian Capital Territory/ACT, 02 New South Wales/NSW, 03 Northern Territory/NT, 04 Queensland/QLD,
    05 South Australia/SA, 06 Tasmania/TAS, 07 Victoria/VIC, 08 Western Australia/WA`,
  DE: `01 Baden-Württemberg, 02 Bayern/Bavaria/Bavière/Baviera, 03 Bremen, 04 Hamburg, 05 Hessen/Hesse,
    06 Niedersachsen/Lower Saxony/Basse-Saxe, 07 Nordrhein-Westfalen/North Rhine-Westphalia/NRW,
    08 Rheinland-Pfalz/Rhineland-Palatinate, 09 Saarland, 10 Schleswig-Holstein, 11 Brandenburg,
    12 Mecklenburg-Vorpommern/Mecklenburg-Western Pomerania, 13 Sachsen/Saxony, 14 Sachsen-Anhalt/Saxony-Anhalt,
    15 Thüringen/Thuringia, 16 Berlin`,
  AT: `01 Burgenland, 02 Kärnten/Carinthia, 03 Niederösterreich/Lower Austria, 04 Oberösterreich/Upper Austria, 05 Salzburg,
    06 Steiermark/Styria, 07 Tirol/Tyrol, 08 Vorarlberg, 09 Wien/Vienna`,
  FR: `11 Île-de-France, 24 Centre-Val de Loire, 27 Bourgogne-Franche-Comté, 28 Normandie/Normandy, 32 Hauts-de-France,
    44 Grand Est, 52 Pays de la Loire, 53 Bretagne/Brittany, 75 Nouvelle-Aquitaine, 76 Occitanie,
    84 Auvergne-Rhône-Alpes, 93 Provence-Alpes-Côte d'Azur/PACA, 94 Corse/Corsica`,
  ES: `07 Islas Baleares/Illes Balears/Balearic Islands/Balearen/Baleares, 27 La Rioja, 29 Comunidad de Madrid, 31 Región de Murcia,
    32 Navarra, 34 Asturias, 39 Cantabria, 51 Andalucía/Andalusia/Andalusien, 52 Aragón,
    53 Canarias/Canary Islands/Islas Canarias/Kanaren, 54 Castilla-La Mancha, 55 Castilla y León,
    56 Cataluña/Catalunya/Catalonia/Katalonien, 57 Extremadura, 58 Galicia/Galicien, 59 País Vasco/Basque Country/Euskadi,
    60 Comunidad Valenciana/Comunitat Valenciana/Valencian Community`,
  IT: `01 Abruzzo, 02 Basilicata, 03 Calabria, 04 Campania, 05 Emilia-Romagna, 06 Friuli-Venezia Giulia, 07 Lazio,
    08 Liguria/Ligurien, 09 Lombardia/Lombardy, 10 Marche, 11 Molise, 12 Piemonte/Piedmont, 13 Puglia/Apulia,
    14 Sardegna/Sardinia/Sardinien, 15 Sicilia/Sicily/Sizilien, 16 Toscana/Tuscany/Toskana,
    17 Trentino-Alto Adige, 18 Umbria, 19 Valle d'Aosta, 20 Veneto/Venetien`,
  GB: `ENG England, SCT Scotland/Schottland, WLS Wales, NIR Northern Ireland/Nordirland`,
};

const CODES = new Map(
  Object.entries(REGIONS).flatMap(([country, list]) =>
    list.split(',').flatMap((entry) => {
      const [code = '', ...name] = entry.trim().split(/\s+/);
      return [code, ...name.join(' ').split('/')].map((each) => [`${country} ${foldPlaceName(each)}`, code] as const);
    }),
  ),
);

/** The code that GeoNames gives to a region of a country, by its name or the letters it is known by; undefined for others. */
export function regionCodeOf(country: string, region: string): string | undefined {
  return CODES.get(`${country} ${foldPlaceName(region)}`);
}

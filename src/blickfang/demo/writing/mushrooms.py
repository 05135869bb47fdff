"""What the demo web's mushroom sites say; every species is invented, so nobody eats by it."""

MUSHROOMS = """
= topic mushrooms
= motif mushroom
= language en
= rows name latin cap
Saffron Bellcap | Campanella crocea | saffron yellow
Blushing Knight | Tricholoma rubescens | rosy pink
Ash-grey Funnel | Clitocybe cinerella | ash grey
Copper Webcap | Cortinarius cupreus | copper brown
Velvet Brittlegill | Russula velutina | crimson
Orange Larch Bolete | Suillus laricinus | orange
Dewdrop Inkcap | Coprinellus roridus | ash grey
Shepherd's Parasol | Macrolepiota pastoris | tawny
Wood Lantern | Omphalotus lanterna | orange
Plum Milkcap | Lactarius prunatus | plum purple
Freckled Dapperling | Lepiota lentigo | cream
Honey Toughshank | Gymnopus melleus | honey yellow
Ivory Waxcap | Hygrocybe eburnella | ivory white
Scarlet Thimble | Hygrocybe digitalis | scarlet
Birch Sulphur | Hypholoma betulae | sulphur yellow
Marsh Deceiver | Laccaria paludosa | chestnut brown
Frosted Agaric | Agaricus pruinosus | ivory white
Bracken Puffball | Lycoperdon pteridis | cream
Tawny Trumpet | Craterellus fulvus | tawny
Ring-stalked Fieldcap | Agrocybe annulata | honey yellow
Cinnamon Scalycap | Pholiota cinnamea | copper brown
Lilac Bonnet | Mycena lilacina | lilac
Pale Oysterling | Crepidotus pallidus | cream
Night Pinkgill | Entoloma nocturnum | slate blue
Beech Slimecap | Oudemansiella fagi | ivory white
Golden Rollrim | Paxillus aureus | saffron yellow
Hazel Gypsy | Cortinarius coryli | chestnut brown
Smoky Roundhead | Stropharia fumosa | ash grey
White-warted Fly Cap | Amanita verrucella | olive green
Crimson Fly Cap | Amanita coccinea | crimson
Thistle Oyster | Pleurotus cardui | slate blue
Pinewood Gilled Star | Geastrum pineti | tawny
Amber Stump Fairy | Kuehneromyces ambra | orange
Blue-foot Blewit | Lepista cyanopus | lilac
Old Man's Button | Marasmius senex | chestnut brown
Chalk Meadow Dome | Calocybe cretacea | ivory white
= trait shape conical | convex | flat | funnel-shaped | bell-shaped
= trait spots white warts | no warts | no warts | pale scales | dark flecks
= trait gills crowded white | distant cream | pink, later brown | decurrent pale yellow | rusty
  brown
  | free, grey
= trait stem slender and hollow | stout with a bulbous foot | fibrous and streaked | smooth and
  brittle
  | scaly below the ring
= trait spore white | pink | rust brown | purplish black | cream
= trait smell flour | aniseed | radish | old honey | damp earth | raw potato | almonds
= trait tree beech | birch | larch | oak | pine | hazel | spruce | alder
= trait season late summer | early autumn | October | the first frosts | a wet July
= trait verdict not worth eating | poisonous | tough and tasteless | of unknown edibility
  | said to be edible, but easily confused
= trait width 2..19
= view group a single fruit body | a pair | a small troop | three caps in a row | a cluster
= view ground in moss | among fallen leaves | on the forest floor | in wet grass | beside a stump
= word litter moss | needle litter | rotting wood | leaf mould | damp grass | a mossy stump
= word organ cap | gills | stem | ring | volva | flesh | mycelium | cuticle | spore print
= word helper hand lens | knife | basket | brush | notebook | paper bag
= section facts [Description|How to recognise {name}|Characters]
The cap of {name} ({latin}) is {cap}, {shape} and {width} centimetres across.
Its surface carries {spots}, and the margin is [striate|inrolled when young|wavy with age].
The gills are {gills}, and they bruise [brown|slowly red|not at all] when handled.
The stem is {stem}; a ring is [absent|present but soon lost|hanging like a skirt].
Cut through, the flesh smells of {smell} and stays [white|pale|watery brown].
The spore print is {spore}; leave a cap on glass overnight to see it.
Under the microscope the spores are [smooth and ellipsoid|warty|angular] with a small germ pore.
{name} differs from {other} by the {cap} cap and the smell of {smell}.
Young fruit bodies are wrapped in a veil that leaves shreds on the cap margin.
The mycelium runs white through {litter} and can be found all year.
A section from top to bottom shows how the gills meet the stem, which is {stem}.
When wet, the {cap} cuticle peels to the middle of the cap.
Old caps turn pale at the rim, lose their {spots} and begin to smell of {smell}.
The genus is easy, the species is not: {latin} was described twice under different names.
With age the {shape} cap spreads and the edge splits between the gills.
= section habitat [Habitat and season|Where it grows|Finding it]
It fruits under {tree} from {season} onward, mostly in {litter}.
The fungus lives in mycorrhiza with {tree}: it trades minerals for sugar from the roots.
After a week of rain in {season} the first caps push through {litter}.
Look along woodland paths, where the soil is bare and the {tree} stands alone.
In dry years the fruit bodies stay away and only the mycelium survives in the soil.
Slugs, springtails and the larvae of fungus gnats find {name} sooner than we do.
Fairy rings of this mushroom grow outward by a hand's breadth each year.
It prefers [chalky|acid|sandy|heavy] soil and avoids meadows that have been manured.
Deadwood left lying is the best protection for {latin} and its relatives.
Old {tree} stands with little undergrowth are the best places to look for {name}.
The caps appear in troops, some weeks after the bilberries, and are gone within ten days.
Where the ground was limed, {latin} disappears and coarser fungi take its place.
Mycologists map it by grid squares; for our county there are [three|eleven|twenty-six] records.
Snow does it no harm, but one dry east wind shrivels the whole troop.
= section lookalikes [Lookalikes|Not to be confused|Edibility]
{name} is {verdict}; do not collect it for the kitchen.
Beginners mistake it for {other}, whose gills are not {gills}.
Check the {organ} and the {organ} before you trust a first impression.
A mushroom is never identified by colour alone, for rain washes pigment out of every cap.
The smell of {smell} is a good hint, the {spore} spore print a better one.
No rule with silver spoons, onions or snails tells poisonous fungi from harmless ones.
If in doubt, leave it in the wood and take home a photograph.
The adviser of the club keeps dried specimens of both species for comparison.
Compare the colour of the gills in young and old specimens; in {other} they hardly change.
Cut, wait five minutes, and look whether the flesh has changed colour.
A poisonous relative has the same {cap} cap but a sack-like volva at the foot.
Chewing a crumb and spitting it out is a habit of experts, not a method for beginners.
Books from before the war still praise {name}; do not believe them.
= section foray [A walk with baskets|Foray notes|Saturday in the wood]
On Saturday [nine|fourteen|twenty] of us met under the {tree} trees with basket and {helper}.
It had rained since Wednesday, and {litter} was dotted with {cap} caps.
The first find of the morning was {name}, half hidden in {litter}.
A child found the best specimen of {latin}, still with drops on its gills.
We laid out everything on newspaper and sorted it by the colour of the spores.
Nobody agreed about the {organ} until somebody fetched a {helper}.
By noon the list held forty-one species of fungi, among them {other}.
We ate our sandwiches on a log and looked at slime moulds through a hand lens.
The wood smelled of {smell}, wet bark and autumn.
Twist the stem gently, lift the whole fruit body, and close the hole in the {litter} again.
The dog found a wasps' nest, the beginners found {name}, and the expert found nothing.
Under the {tree} somebody had already been: cut stems and a lost {helper}.
Our youngest member drew the cap of {latin} and coloured it {cap}.
We argued about {other} all the way back to the car park.
Every basket was looked through before anyone was allowed to drive home.
= section craft [Spore prints and notes|Keeping a mushroom diary|How to do it]
Put the cap gills down on white and black paper, cover it with a glass, and wait until morning.
Write down the tree, the soil, the smell and the colour before the specimen dries.
Dry slices at forty degrees on a rack and keep them in a paper envelope with the date.
Photograph the mushroom from the side, from above and from below, with the gills in focus.
Use a {helper} rather than plastic, for fungi sweat and spoil within an hour.
Draw the section of the {organ}: how the gills meet the stem decides half of all keys.
A drop of iron sulphate turns the flesh of some brittlegills pink and of others green.
Keep unknown caps apart from the rest, each in its own {helper}.
Compare the spore deposit with a colour chart in daylight.
Label everything: a spore print without a name and a date is only a stain.
For the microscope, a piece of gill the size of a pinhead is plenty.
Grow the mycelium on malt agar, and keep the lid closed however curious you are.
A herbarium of dried fungi needs frost, twice a year, against beetles.
Weigh the fresh cap, dry it, weigh it again: nine tenths of a mushroom is water.
= captions
{name} ({latin}), {group} {ground}
{group} of {name} {ground}, cap {cap}
{name}, {cap} cap with {spots}, under {tree}
{latin} {ground}: {shape} cap, {spore} spores
{name} {ground}
{cap} caps of {name}
= blurbs
{cap} {shape} cap, gills {gills}; under {tree} from {season}.
{latin}. Smells of {smell}; spore print {spore}; {verdict}.
Grows with {tree}, {width} centimetres wide, cap {cap} with {spots}.
= articles
How to make a spore print | craft lookalikes
What grows under the beeches | habitat foray
Mycelium, the hidden part | habitat craft
Ten rules for safe foraging | lookalikes craft
Autumn foray in the old wood | foray habitat
"""

"""What the demo web's near misses say: right word, wrong thing (a software named Lighthouse, …)."""

AUDIT = """
= topic near-miss:audit-software
= motif chart
= language en
= rows name metric
Lighthouse 4.2 release notes | first paint
Lighthouse for teams | time to interactive
Installing Lighthouse | bundle size
Lighthouse scores explained | layout shift
Lighthouse in the pipeline | server response
Lighthouse plugin guide | unused scripts
Lighthouse pricing | page weight
Lighthouse dashboard | cache hits
Lighthouse accessibility audit | contrast
Migrating to Lighthouse 5 | blocking time
= trait version 2..9
= trait score 41..99
= trait millis 90..3100
= trait flag --quiet | --budget | --json | --throttle
= view chart for the last quarter | per release | before and after the update | by team
= word env staging | production | the build container | the cloud | continuous integration
= section product [What is new|Overview|Details]
Lighthouse runs automated audits against any page and reports {metric} as a score out of one
  hundred.
Version {version} of Lighthouse reduces {metric} by {millis} milliseconds in {env}.
Pass the option {flag} to the command line to change how results are written.
A Lighthouse score of {score} means that most users will not notice {metric} at all.
The dashboard groups audits by team, by branch and by deployment.
Upgrade with the package manager, clear the cache and restart the worker.
Enterprise customers get single sign-on, audit logs and an invoice by the year.
Set a performance budget in the configuration file, and the build fails when it is exceeded.
Every audit links to a page that explains {metric} and how to improve it.
The new engine traces network requests and main-thread work in {env}.
Results can be exported as a spreadsheet or sent to a dashboard by webhook.
= section support [Troubleshooting|Support|Known problems]
If the audit times out in {env}, raise the limit with {flag}.
Lighthouse needs a headless browser; the container image already includes one.
Report bugs with the log file and the version number of your Lighthouse client.
Scores vary between runs because {env} is rarely idle.
The trial licence ends after thirty days and can be extended once.
Webhooks notify your chat room whenever {metric} falls below {score}.
Delete old reports with {flag} when the disk of {env} is full.
Our support desk answers tickets within one business day.
A proxy that rewrites scripts makes {metric} look worse than it is.
= captions
Lighthouse chart of {metric} {chart}
Screenshot: {metric} {chart}
= blurbs
{metric}, score {score}, version {version}.
How Lighthouse measures {metric} in {millis} milliseconds.
= articles
Lighthouse terms of service | support product
"""

LAMPS = """
= topic near-miss:lamp-shop
= motif lamp
= language en
= rows name kind
Beacon Floor Lamp | floor lamp
Harbour Table Lamp | table lamp
Keeper's Reading Light | reading light
Gallery Pendant | pendant
Fresnel Desk Lamp | desk lamp
Tower Uplighter | uplighter
Lantern Wall Light | wall light
Coast Night Light | night light
Mole Bedside Lamp | bedside lamp
Drum Shade Classic | lampshade
= trait price 19..240
= trait watts 4..60
= trait colours brass | white | black | red | green | blue
= trait days 2..9
= view room in a living room | beside an armchair | on a desk | in the shop window
= word fabric linen | cotton | opal glass | parchment paper
= section offer [Product details|Description|Why you will love it]
The {name} is a {kind} in {colours} with a shade of {fabric}, now {price} pounds.
It takes an LED bulb of up to {watts} watts, which is not included.
Add it to the basket today and we deliver within {days} working days.
The dimmer on the cable sets the mood from bright to cosy.
Goes well with our {other} and any sofa in warm colours.
Return it within thirty days if it does not suit your living room.
The base is weighted, so the {kind} does not tip over.
Designed in our studio and finished by hand, every {kind} is a little different.
Choose between a warm white and a daylight bulb at the checkout.
= section care [Care|Delivery and returns|Questions]
Dust the shade of {fabric} with a soft cloth and never use solvent.
Unplug the {kind} before you change the bulb.
Customers rate this {kind} four and a half stars out of five.
Gift wrapping costs three pounds; vouchers can be used at the checkout.
Our showroom is open daily except Monday, and parking is free.
Orders above fifty pounds are delivered free of charge.
Spare shades in {fabric} are sold separately.
The guarantee on switch and cable runs for {days} years.
= captions
{name} in {colours} {room}
{name}, {kind}, {price} pounds
= blurbs
{kind} in {colours}, {watts} watts, {price} pounds.
Delivered in {days} days.
= articles
Choosing the right bulb | care offer
"""

FURNITURE = """
= topic near-miss:mushroom-furniture
= motif stool
= language en
= rows name kind
Toadstool Pouffe | pouffe
Mushroom Bar Stool | bar stool
Fly Agaric Kids' Seat | children's seat
Champignon Side Table | side table
Puffball Beanbag | beanbag
Cap and Stem Coat Stand | coat stand
Chanterelle Vanity Stool | vanity stool
Portobello Footrest | footrest
Fairy Ring Dining Set | dining set
Button Mushroom Cushion | cushion
= trait price 29..390
= trait colours red | brown | cream | orange | pink | green
= trait depth 30..70
= trait cover velvet | bouclé | corduroy | leatherette
= view room in a nursery | in the showroom | beside a sofa | in a hallway
= word wood beech veneer | solid oak | birch plywood | rubberwood
= section offer [Product details|Description|About this piece]
Our {name} brings mushroom style into your home: a {kind} in {colours} {cover}.
The legs are made of {wood} and are screwed on in five minutes.
Measuring {depth} centimetres across, it fits even into small flats.
Buy two and save ten per cent at the checkout.
The foam keeps its shape, and the cover of {cover} can be washed at thirty degrees.
Matches the {other} and all furniture of the Mushroom collection.
Now {price} pounds, including assembly instructions and spare screws.
Stack three of them and you have a shelf that makes every guest smile.
Designer Lotte Brink drew the {kind} after a walk in the woods.
= section care [Care|Delivery|Reviews]
Delivery to the kerb takes one week, to your room two weeks.
Vacuum the {cover} regularly and keep the {kind} away from radiators.
Rated five stars by a nursery that bought eight of them.
The maximum load is one hundred and ten kilograms.
Felt pads for wooden floors are in the box.
Financing is available for orders of more than two hundred pounds.
A swatch of {cover} is posted free of charge.
The {kind} is tested for households with pets and toddlers.
= captions
{name} in {colours} {cover} {room}
{name}, {kind}, {price} pounds
= blurbs
{kind} in {colours} {cover}, {price} pounds.
On {wood} legs, {depth} centimetres wide.
= articles
Showroom and parking | care offer
"""

AEROSPACE = """
= topic near-miss:kite-aerospace
= motif drone
= language en
= rows name part
Kite KX-2 drone | rotor
Kite Aerospace half-year results | order book
Kite ground station | antenna
Kite satellite bus | solar array
Careers at Kite Aerospace | test stand
Kite KX-4 certification | flight computer
Kite propulsion division | turbine
Kite and the defence ministry | radar pod
= trait tonnes 2..40
= trait million 3..880
= trait colours white | grey | orange | blue
= trait hours 2..30
= view place on the apron | at the trade fair | during a test flight | in the hangar
= word dept engineering | procurement | quality | flight test | investor relations
= section news [Press release|News|Programme update]
Kite Aerospace today announced that the {part} has passed its critical design review.
Revenue rose to {million} million, driven by the unmanned aircraft programme.
The vehicle stays airborne for {hours} hours with a payload of {tonnes} kilograms.
Our {dept} department completed the vibration campaign ahead of schedule.
The regulator issued a type certificate for the {part} and its avionics.
A consortium led by Kite will supply {tonnes} units to the customer by next year.
Forward-looking statements are subject to risks that are hard to predict.
Engineers replaced the {part} after a hard landing on the test range.
Analysts expect further orders worth {million} million from the navy.
= section company [The company|Working here|Facts]
Kite employs eleven hundred people in {dept}, manufacturing and service.
Shareholders will receive a dividend at the end of the fiscal year.
Suppliers must be certified before they deliver a {part}.
The {dept} team is hiring engineers with experience in composite structures.
Our telemetry link streams the state of the {part} ten times a second.
The board appointed a new chief financial officer.
A second shift now assembles the {part} under clean-room conditions.
The annual report is available on request from {dept}.
= captions
{name} {place}
Kite aircraft {place}, {colours} livery
= blurbs
The {part}: {million} million in orders.
News from {dept}.
= articles
Supplier code of conduct | company news
"""

BIRDS = """
= topic near-miss:red-kite-birds
= motif bird
= language en
= rows name wood
Red kite at Harrow Wood | Harrow Wood
Nest count in Dean Forest | Dean Forest
A kite and two crows | Larkfield
Feeding station diary | Fennimore
Ringing the chicks | Upper Dean
Kite roost in winter | Priory Copse
Juvenile red kite | Quarry Edge
Moult and tail feathers | Stoke Hanger
Return of the red kite | Cullen Wood
Buzzard or kite? | Ashby Copse
= trait pairs 3..61
= trait month January | March | May | June | September | November
= trait observer Mr Pym | the warden | Dr Salter | our youngest member
= trait colours brown | rusty | dark
= view pose in flight | over the wood | gliding at evening | above the stubble
= word prey vole | carrion | rabbit | worm | young crow
= section watch [Observations|Field notes|Diary]
{observer} counted {pairs} breeding pairs of red kites around {wood} in {month}.
The bird soared without a wingbeat, its forked tail twisting like a rudder.
A kite dropped to the stubble, took a {prey} and was mobbed by rooks.
The nest of sticks, lined with sheep's wool, sits in the fork of an old oak.
Its call is a thin mewing whistle, heard above {wood} all through {month}.
The plumage is {colours} with a pale grey head and streaked breast.
Chicks were ringed and weighed before the female came back with a {prey}.
Two birds locked talons above {wood} and tumbled down together.
At dusk {pairs} of them gathered in the roost trees, calling softly.
= section guard [Protection|About raptors|What you can do]
Poisoned bait killed most raptors of the county a century ago.
Please keep two hundred metres from the nest until the young have fledged.
Report dead birds to {observer} with place and date.
The buzzard has a rounded tail, the red kite a deeply forked one.
Rings and wing tags show that some birds winter in Spain.
Farmers leave a strip of stubble where {prey} can be found.
A donation pays for rings, binoculars and the telescope at {wood}.
Never feed raptors on kitchen scraps; a {prey} is what they need.
= captions
Red kite {pose}
Red kite {pose}, {wood}, {month}
= blurbs
{wood}, {month}: {pairs} pairs.
Seen by {observer}.
= articles
How to count raptors | guard watch
"""
